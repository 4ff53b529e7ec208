import { Fault } from "@ci/kit/rpc/fault";
import { never } from "./build-time.js";
import { HostTrouble } from "./errors.js";
import { retryInTrouble } from "./retry.js";

test("all calls share the time that they wait for a machine in trouble", async () => {
  const whenAble = retryInTrouble(never, { maxMs: 3, pauseMs: 1 });
  let tries = 0;
  const fail = (error: Error) => async () => {
    tries++;
    throw error;
  };
  const trouble = new HostTrouble("Docker Engine cannot be reached");
  await expect(whenAble(fail(trouble))).rejects.toBe(trouble);
  expect(tries).toBe(4);
  await expect(whenAble(fail(trouble))).rejects.toBe(trouble);
  expect(tries).toBe(5);
  const fault = new Fault("not_found", "not found");
  await expect(retryInTrouble(never)(fail(fault))).rejects.toBe(fault);
  expect(tries).toBe(6);
});
