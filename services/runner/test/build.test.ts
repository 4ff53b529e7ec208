import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "@ci/kit/rpc/fault";
import { eventually } from "@ci/testkit/eventually";
import { anAssignment, newId } from "./_assignment.js";
import { aFolder, processes } from "./_os.js";
import { type QueuedBuild, usualTimes } from "./_queue.js";
import { bootRunner, inMoreTime } from "./_suite.js";

const booted = bootRunner();
const { run, submit, kill } = booted;

afterEach(async () => {
  await eventually(async () => expect(await booted.folders()).toEqual([]));
  expect((await processes()).filter(({ home }) => home?.startsWith(booted.config.dir))).toEqual([]);
});

describe("a build", () => {
  test("runs its jobs one after another and reports each", async () => {
    const { outcomes, text } = await run(anAssignment({}, ["echo one > file"], ["cat file"]));
    expect(outcomes).toEqual(["passed", "passed", "passed"]);
    expect(text).toBe("+ echo one\n+ cat file\none\n");
  });

  test("knows its jobs, and gives them no logins of registries", async () => {
    const logins = { key: "DOCKER_AUTH_CONFIG", value: '{"auths": {}}', masked: true };
    const facts = [{ key: "CI_BUILD", value: "7", masked: false }];
    const command = 'echo "$CI_BUILD, $CI_JOB, $CI_STAGE, $DOCKER_AUTH_CONFIG."';
    const { text } = await run(anAssignment({ variables: [logins], facts }, [command]));
    expect(text).toMatch(/\n7, job\.1, s, \.\n$/);
  });

  test("passes without jobs", async () => {
    expect(await run(anAssignment())).toMatchObject({
      final: "passed",
      outcomes: ["passed"],
      text: "The manifest has no jobs: nothing was run\n",
    });
  });

  test("stops when the queue reports that the build has ended", async () => {
    const before = booted.queue.calls.length;
    const { outcomes, text } = await run(anAssignment({}, ["exit 7"], ["echo never"]));
    await eventually(async () => expect(await booted.folders()).toEqual([]));
    expect(outcomes).toEqual(["passed", "failed"]);
    expect(text).toBe("+ exit 7\nJob failed: exit code 7\n");
    expect(booted.queue.calls.slice(before).filter((call) => call === "finishJob").length).toBe(2);
  });

  test("continues the output where an earlier attempt ended", async () => {
    const build = booted.queue.submit(anAssignment({ outputBytes: 7 }, ["echo new"]));
    build.text = "old\n€";
    booted.bus.nudge("queue.os");
    await eventually(() => expect(build.final).toBe("passed"));
    expect(build.text).toBe("old\n€+ echo new\nnew\n");
  });

  test("reports that its environment is ready while its first job runs, if that does not end at once", async () => {
    const go = join(aFolder(), "go");
    const before = booted.queue.calls.length;
    const wait = `until [ -e ${go} ]; do sleep 0.02; done`;
    const build = submit(anAssignment({ takesPrepared: true }, [wait], ["echo two"]));
    await eventually(() => expect(build.outcomes).toEqual(["passed"]));
    await writeFile(go, "");
    await eventually(() => expect(build.final).toBe("passed"));
    expect(build.text).toMatch(/\n\+ echo two\ntwo\n$/);
    expect(booted.queue.calls.slice(before).filter((call) => call === "finishJob").length).toBe(3);
  });

  test("ends when it is killed before it has reported that its environment is ready", async () => {
    const build = booted.queue.submit(anAssignment({ takesPrepared: true }, ["sleep 1000; :"], ["echo never"]));
    build.killed = true;
    booted.queue.times.renewEveryMs = 1;
    booted.bus.nudge("queue.os");
    await eventually(() => expect(build.final).toBe("killed"));
    Object.assign(booted.queue.times, usualTimes);
    expect(build.outcomes).toContain("killed");
  });

  test("shows its output while it runs", async () => {
    const build = submit(anAssignment({}, ["echo first; sleep 1000; :"]));
    await eventually(() => expect(build.text).toContain("\nfirst\n"), { everyMs: 5 });
    kill(build);
    await eventually(() => expect(build.final).toBe("killed"));
  });

  test("hides its secrets", async () => {
    const variables = [
      { key: "TOKEN", value: "hunter2hunter2", masked: true },
      { key: "OPEN", value: "visible", masked: false },
    ];
    const { text } = await run(
      anAssignment({ variables }, ["echo $TOKEN $OPEN", "printf %s $TOKEN > t", "base64 < t"]),
    );
    expect(text).toBe("+ echo xxxxxx visible\nxxxxxx visible\n+ printf %s xxxxxx\n+ base64\nxxxxxx\n");
  });

  test("runs at the same time as another build", async () => {
    const dir = aFolder();
    const meet = (mine: string, other: string) => [
      `touch ${dir}/${mine}; while ! [ -e ${dir}/${other} ]; do sleep 0.02; done`,
    ];
    const both = [run(anAssignment({}, meet("a", "b"))), run(anAssignment({}, meet("b", "a")))];
    expect((await Promise.all(both)).map(({ final }) => final)).toEqual(["passed", "passed"]);
  });

  test("continues after its output is truncated at the limit", async () => {
    const { outcomes, text } = await run(
      anAssignment({ outputLimitBytes: 100 }, ["yes | head -c 100000", "echo end >&2"], ["echo two"]),
    );
    expect(outcomes).toEqual(["passed", "passed", "passed"]);
    const [first, second] = text.split("-- output truncated after 100 bytes --\n");
    expect(Buffer.byteLength(first!)).toBeLessThanOrEqual(101);
    expect(second).toBe("+ echo two\ntwo\n");
  });
});

describe("a build whose jobs are all short", () => {
  // No machine is too slow for a short job, as a report and output may wait so long.
  const patient = bootRunner({}, { holdMs: 600_000, flushAfterMs: 600_000 });

  async function requests(assignment: QueuedBuild["assignment"]): Promise<string[]> {
    const before = patient.queue.calls.length;
    const { outcomes, text } = await patient.run(assignment);
    expect(outcomes).toEqual(["passed", "passed", "passed"]);
    expect(text).toBe("+ echo one\none\n+ echo two\ntwo\n");
    return patient.queue.calls.slice(before).filter((call) => !/claim|renew|listLeases/.test(call));
  }

  test("sends one request per job", async () => {
    const assignment = anAssignment({}, ["echo one"], ["echo two"]);
    expect(await requests(assignment)).toEqual(["finishJob", "finishJob", "finishJob"]);
  });

  test("reports that its environment is ready together with the end of its first job", async () => {
    const assignment = anAssignment({ takesPrepared: true }, ["echo one"], ["echo two"]);
    expect(await requests(assignment)).toEqual(["finishJob", "finishJob"]);
  });
});

describe("a killed build", () => {
  test("ends at once, with all processes that it has started", async () => {
    const build = submit(anAssignment({}, ["(sleep 1000)& echo up; sleep 1000; :"], ["echo never"]));
    await eventually(() => expect(build.text).toContain("up\n"));
    kill(build);
    await eventually(() => expect(build.final).toBe("killed"));
    expect(build.outcomes).toEqual(["passed", "killed"]);
  });

  test("ends at the next renewal if the message is lost", async () => {
    booted.queue.times.renewEveryMs = 50;
    const build = submit(anAssignment({}, ["sleep 1000; :"]));
    await eventually(() => expect(build.renewals).toBeGreaterThan(0));
    build.killed = true;
    await eventually(() => expect(build.final).toBe("killed"));
    Object.assign(booted.queue.times, usualTimes);
  });
});

test("a build repeats a renewal that gets no answer long before its lease ends", async () => {
  booted.queue.times.renewEveryMs = 50;
  const build = submit(anAssignment({}, ["sleep 1000; :"]));
  build.ignoredRenewals = 3;
  await eventually(() => expect(build.renewals).toBeGreaterThan(3));
  build.killed = true;
  await eventually(() => expect(build.final).toBe("killed"));
  Object.assign(booted.queue.times, usualTimes);
});

describe("a build times out", () => {
  test("as a whole", async () => {
    const { outcomes } = await inMoreTime(
      (buildTimeoutMs) => run(anAssignment({ buildTimeoutMs }, ["echo up; sleep 1000; :"])),
      ({ outcomes }) => outcomes.length > 1,
    );
    expect(outcomes).toEqual(["passed", "timed_out"]);
  });

  test("while its environment is prepared", async () => {
    booted.queue.failure = undefined;
    const objects = [{ id: newId(), source: "never", name: "never", objectId: -1 }];
    booted.queue.objects.set(-1, "x".repeat(3_000_000));
    const { outcomes } = await run(anAssignment({ prepareTimeoutMs: 1, objects }, ["echo"]));
    expect(outcomes).toEqual(["timed_out"]);
  });
});

describe("a lost build", () => {
  test("reports nothing after another runner has taken it", async () => {
    const build = submit(anAssignment({}, ["echo up; sleep 1000; :"]));
    await eventually(() => expect(build.text).toContain("up\n"));
    build.epoch++;
    booted.bus.nudge(`kill.${build.assignment.buildId}`);
    await eventually(async () => expect(await booted.folders()).toEqual([]));
    expect(build.outcomes).toEqual(["passed"]);
  });

  test("ends when the queue rejects its output", async () => {
    const build = submit(anAssignment({}, ["while :; do echo again; sleep 0.01; done"]));
    await eventually(() => expect(build.text).toContain("again"));
    build.epoch++;
    await eventually(async () => expect(await booted.folders()).toEqual([]));
    expect(build.final).toBeUndefined();
  });

  test("ends when the lease cannot be renewed in time", async () => {
    Object.assign(booted.queue.times, { leaseMs: 5_000, renewEveryMs: 100 });
    const build = submit(anAssignment({}, ["sleep 1000; :"]));
    await eventually(() => expect(build.renewals).toBeGreaterThan(0));
    booted.queue.failure = new Fault("unavailable", "gone");
    await eventually(async () => expect(await booted.folders()).toEqual([]));
    booted.queue.failure = undefined;
    Object.assign(booted.queue.times, usualTimes);
    expect(build.final).toBeUndefined();
  });
});

test.each(["unavailable", "internal"] as const)("a build waits for a queue that is %s for a while", async (code) => {
  const go = join(aFolder(), "go");
  const build = submit(anAssignment({}, [`echo one; until [ -e ${go} ]; do sleep 0.02; done; echo two`]));
  await eventually(() => expect(build.text).toContain("one"));
  booted.queue.failure = new Fault(code, "away");
  const from = booted.queue.calls.length;
  await writeFile(go, "");
  await eventually(() => expect(booted.queue.calls.length).toBeGreaterThan(from + 2));
  booted.queue.failure = undefined;
  await eventually(() => expect(build.final).toBe("passed"));
  expect(build.text).toContain("\none\n");
  expect(build.text).toContain("\ntwo\n");
});

describe("a job", () => {
  const aRetry = (times: number, ...codes: number[]) => ({ times, codes });

  test("runs again as its retry says, and its files stay", async () => {
    const { jobs, ...assignment } = anAssignment({}, ["echo again >> tries; [ $(wc -l < tries) = 3 ] || exit 75"]);
    const build = await run({ ...assignment, jobs: [jobs[0]!, { ...jobs[1]!, retry: aRetry(2, 75) }] });
    expect(build.outcomes).toEqual(["passed", "passed"]);
    expect(build.ends.at(-1)).toEqual([0, undefined]);
    expect(build.text).toMatch(
      /^-- attempt 1 of 3 --\n.*\n-- attempt 2 of 3, the last one ended with exit code 75 --\n.*\n-- attempt 3 of 3, /s,
    );
  });

  test("that takes too long ends with all that it has started, and says so", async () => {
    const commands = ["(sleep 1000)& echo up; sleep 1000; :"];
    const build = await inMoreTime(
      (timeoutMs) => {
        const { jobs, ...assignment } = anAssignment({}, commands);
        return run({ ...assignment, jobs: [jobs[0]!, { ...jobs[1]!, timeoutMs, retry: aRetry(5) }] });
      },
      ({ text }) => text.includes("\nup\n"),
    );
    expect(build.outcomes).toEqual(["passed", "timed_out"]);
    expect(build.text).toMatch(/\nJob timed out after [\d.]+(ms|s|min)\n$/);
    expect(build.text).not.toContain("attempt 2");
    expect(build.ends.at(-1)).toEqual([undefined, expect.stringMatching(/^timed out after [\d.]+(ms|s|min)$/)]);
  });
});
