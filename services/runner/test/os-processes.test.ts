import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { notRun } from "@ci/testkit/not-run";
import { processes, startTimeOf } from "../src/drivers/os/processes.js";

const lastPid = "/proc/sys/kernel/ns_last_pid";

/** Reports whether the tests may say which id the next process gets. */
function canChooseIds(): boolean {
  try {
    writeFileSync(lastPid, readFileSync(lastPid));
    return true;
  } catch {
    return false;
  }
}

const sleeper = () => spawn("sleep", ["600"], { stdio: "ignore" });

async function end(child: ReturnType<typeof sleeper>): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

const startOf = (pid: number) => BigInt(startTimeOf(pid)!);

/** Starts a process with this id, in a later tick of the kernel's clock. */
async function sleeperWithId(pid: number, since: bigint) {
  // Another process of this machine may take the id first.
  for (;;) {
    writeFileSync(lastPid, String(pid - 1));
    const child = sleeper();
    if (child.pid === pid && startOf(pid) >= since) return child;
    await end(child);
  }
}

const idsSince = async (since: bigint) => (await processes(since)).map(({ pid }) => pid);

test("finds what has started since, also processes that it has seen before", async () => {
  const child = sleeper();
  try {
    const startTime = startOf(child.pid!);
    expect(await idsSince(startTime + 1n)).not.toContain(child.pid);
    expect(await idsSince(startTime)).toContain(child.pid);
    expect(await idsSince(0n)).toContain(child.pid);
    expect(await idsSince(startTime + 1n)).not.toContain(child.pid);
  } finally {
    await end(child);
  }
  expect(await idsSince(0n)).not.toContain(child.pid);
});

if (!canChooseIds()) notRun("process ids used again", `the tests may not write ${lastPid}`);
else
  test("finds a process that has the id of an earlier one", async () => {
    const old = sleeper();
    const since = startOf(old.pid!) + 1n;
    expect(await idsSince(since)).not.toContain(old.pid);
    await end(old);
    const next = await sleeperWithId(old.pid!, since);
    try {
      expect(await idsSince(since)).toContain(next.pid);
    } finally {
      await end(next);
    }
  });
