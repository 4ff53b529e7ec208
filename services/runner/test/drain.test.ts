import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import { anAssignment } from "./_assignment.js";
import { bootRunner } from "./_suite.js";

const sleeps = "echo up; sleep 1000; :";

describe("a draining runner", () => {
  const booted = bootRunner({ drainMs: 600_000 });

  test("finishes its builds, is not ready and claims no more", async () => {
    const file = join(booted.config.dir, "go");
    const running = booted.submit(anAssignment({}, [`echo up; while [ ! -e ${file} ]; do sleep 0.05; done`], ["true"]));
    await eventually(() => expect(running.text).toContain("\nup"));
    expect(await booted.ready()).toBe(true);
    const drained = booted.drain(new AbortController().signal);
    // A running claim has returned by this time.
    await eventually(async () => expect(await booted.ready()).toBe(false));
    const late = booted.submit(anAssignment({}, ["true"]));
    writeFileSync(file, "");
    await drained;
    expect(running).toMatchObject({ final: "passed", returned: false });
    expect(late.jobIndex).toBe(-1);
  });
});

describe("a runner whose drain time ends", () => {
  const booted = bootRunner({ drainMs: 100 });

  test("gives running builds back", async () => {
    const build = booted.submit(anAssignment({}, [sleeps]));
    await eventually(() => expect(build.text).toContain("\nup"));
    await booted.drain(new AbortController().signal);
    await booted.stop();
    expect([build.returned, build.final]).toEqual([true, undefined]);
  });
});

describe("a draining runner that is told to hurry", () => {
  const booted = bootRunner({ drainMs: 600_000 });

  test("gives running builds back", async () => {
    const build = booted.submit(anAssignment({}, [sleeps]));
    await eventually(() => expect(build.text).toContain("\nup"));
    const hurry = new AbortController();
    const drained = booted.drain(hurry.signal);
    hurry.abort();
    await drained;
    await booted.stop();
    expect([build.returned, build.final]).toEqual([true, undefined]);
  });
});
