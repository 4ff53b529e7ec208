import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { createLog } from "@ci/kit/process/log";
import { anonymous } from "@ci/kit/rpc/caller";
import { Fault } from "@ci/kit/rpc/fault";
import { fail } from "./fail.js";

const cause = new Error("Build 7 is over");
const caused = (code: ConstructorParameters<typeof Fault>[0]) => new Fault(code, "x", undefined, { cause });

test.each([
  [caused("unavailable"), 503, [cause]],
  [caused("conflict"), 503, [cause]],
  // The service that failed has logged it.
  [caused("internal"), 500, []],
  [caused("not_found"), 404, []],
])("the log says why a request got 503: %p", (fault, status, causes) => {
  const logged: unknown[] = [];
  const warn = ({ err }: { err: unknown }) => void logged.push(err);
  const log = Object.assign(createLog("gateway", "silent"), { warn });
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  fail(log, { request, response, caller: anonymous(), url: "/" }, fault);
  expect([response.statusCode, logged]).toEqual([status, causes]);
});
