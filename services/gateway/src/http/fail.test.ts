import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { createLog } from "@ci/kit/process/log";
import { anonymous } from "@ci/kit/rpc/caller";
import { CallFailure, faultOf } from "@ci/kit/rpc/client-fault";
import { Fault } from "@ci/kit/rpc/fault";
import { Refusal, sendUnhandled } from "./answer.js";
import { fail } from "./fail.js";

const cause = new Error("Build 7 is over");
const caused = (code: ConstructorParameters<typeof Fault>[0]) => new Fault(code, "x", undefined, { cause });
const tooLarge = new CallFailure(8, "Received message larger than max (9 vs 8)");
const sent = Buffer.from(JSON.stringify({ code: "internal" }));

/** A response to `GET /`, and a log that keeps the reason of each line. */
function aRequest() {
  const logged: unknown[] = [];
  const keep =
    (level: string) =>
    ({ err, method }: { err: unknown; method: string }) =>
      void logged.push([level, method, err]);
  const log = Object.assign(createLog("gateway", "silent"), { warn: keep("warn"), error: keep("error") });
  const request = Object.assign(new IncomingMessage(new Socket()), { method: "GET" });
  return { logged, log, request, response: new ServerResponse(request) };
}

test.each([
  [caused("unavailable"), 503, ["warn", "GET", cause]],
  [caused("conflict"), 503, ["warn", "GET", cause]],
  [cause, 500, ["error", "GET", cause]],
  [faultOf(tooLarge, undefined), 500, ["error", "GET", tooLarge]],
  // The service that failed has logged it.
  [faultOf(tooLarge, sent), 500, undefined],
  [caused("not_found"), 404, undefined],
  [new Refusal(503, "x"), 503, undefined],
])("the log says why a request got 500 or 503: %p", (thrown, status, line) => {
  const { logged, log, request, response } = aRequest();
  fail(log, { request, response, caller: anonymous(), url: "/" }, thrown);
  expect([response.statusCode, ...logged]).toEqual(line ? [status, line] : [status]);
});

test("the log says why the host of the policies failed", () => {
  const { logged, log, response } = aRequest();
  sendUnhandled(log, response, cause);
  expect([response.statusCode, ...logged]).toEqual([500, ["error", "GET", cause]]);
});
