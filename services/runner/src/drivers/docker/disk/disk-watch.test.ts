import { once } from "node:events";
import { Fault } from "@ci/kit/rpc/fault";
import type { DiskUse } from "./disk-use.js";
import { watchDisk } from "./disk-watch.js";
import { Unmeasurable } from "./du.js";

/** Watches until the limit is enforced. Returns the complaint and the number of measurements. */
async function watched(outcomes: readonly (DiskUse | Error)[]) {
  let count = 0;
  const measure = async () => {
    const outcome = outcomes[Math.min(count, outcomes.length - 1)]!;
    count++;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  using watch = watchDisk({
    limitBytes: 1024 ** 2,
    maxFiles: 10,
    measure,
    onError: () => undefined,
    shortestPauseMs: 1,
  });
  await once(watch.signal, "abort");
  const fault: unknown = watch.signal.reason;
  expect(fault).toBeInstanceOf(Fault);
  return { complaint: (fault as Fault).message, count };
}

const little: DiskUse = { bytes: 1, files: 1 };
const unmeasurable = new Unmeasurable();

test("a build that cannot be measured three times in a row is ended, and the complaint names the limit", async () => {
  expect(await watched([unmeasurable, unmeasurable, little, unmeasurable])).toEqual({
    complaint: "Killed: disk use cannot be measured (limit 1 MiB of DOCKER_DISK); use shorter paths or fewer files",
    count: 6,
  });
});

test("a build is not ended because the engine does not respond", async () => {
  const gone = new Error("connect ECONNREFUSED");
  const { complaint, count } = await watched([gone, gone, gone, gone, little, { bytes: 2 * 1024 ** 2 }]);
  expect(complaint).toMatch(/^Killed: out of disk/);
  expect(count).toBe(6);
});
