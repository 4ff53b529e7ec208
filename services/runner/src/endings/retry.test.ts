import { Fault } from "@ci/kit/rpc/fault";
import { never } from "./build-time.js";
import { Gone, HostTrouble } from "./errors.js";
import { retry, retryInTrouble } from "./retry.js";

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

test("nothing waits for a machine that is gone", async () => {
  const gone = new Gone("QEMU was killed");
  let tries = 0;
  const fail = async () => {
    tries++;
    throw gone;
  };
  await expect(retryInTrouble(never, { maxMs: 3, pauseMs: 1 })(fail)).rejects.toBe(gone);
  expect(tries).toBe(1);
});

test("a call with a time limit gives up when it is over", async () => {
  const away = new Fault("unavailable", "Service unavailable");
  let calls = 0;
  const failTwice = async () => {
    if (++calls < 3) throw away;
    return calls;
  };
  await expect(retry(never, failTwice, 0)).rejects.toBe(away);
  expect(await retry(never, failTwice, 3_600_000)).toBe(3);
});
