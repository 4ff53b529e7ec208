import { readFileSync } from "node:fs";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { isRoot } from "../src/drivers/user.js";
import { Ended } from "../src/endings/ended.js";
import { osSubject, processes } from "./_os.js";
import { inside, type Place, ran, type Subject } from "./_subject.js";
import { osUids } from "./_suite.js";

/** More names, and a larger file, than the runner holds in memory. */
const manyNames = 'id -u; mkdir many; cd many; seq -f "$(printf %0200d 0)%g" 4000 | xargs touch';
const largeFile = "id -u; head -c 5000000 /dev/zero > large";

/** Returns false if there is no such process any more. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

const hasStopped = (pid: number) =>
  eventually(async () => expect(readFileSync(`/proc/${pid}/stat`, "utf8")).toMatch(/\) [TZ] [^)]*$/));

/** Stops the runner's helpers, as a process that the job has left could. Kills their shells if `leader` says so. */
async function stopHelpers(uid: number, leader: NodeJS.Signals = "SIGSTOP"): Promise<void> {
  const helpers = (await processes()).filter((one) => one.uids.includes(uid)).sort((one, other) => one.pid - other.pid);
  expect(helpers.length).toBeGreaterThan(0);
  for (const { pid, group } of helpers) if (pid !== group && signal(pid, "SIGSTOP")) await hasStopped(pid);
  for (const { pid, group } of helpers)
    if (pid === group && signal(pid, leader) && leader === "SIGSTOP") await hasStopped(pid);
}

const allGone = (uid: number) =>
  eventually(async () => expect((await processes()).filter((one) => one.uids.includes(uid))).toEqual([]));

async function read(content: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of content);
}

if (!isRoot()) notRun("helpers of os jobs that a job stops", "the tests do not run as root");
else {
  let subject: Subject;
  beforeAll(async () => {
    subject = await osSubject(osUids, "stopped");
  });

  const after = (script: string, work: (place: Place, uid: number, kill: AbortController) => Promise<void>) =>
    inside(subject, [script], async (place) => {
      const uid = Number((await ran(place.environment, place.order.jobs[0]!)).text);
      await work(place, uid, new AbortController());
      await allGone(uid);
    });

  test.each(["SIGSTOP", "SIGKILL"] as const)("a kill ends a listing whose processes have stopped (%s)", (leader) =>
    after(manyNames, async ({ environment }, uid, kill) => {
      const listing = environment.list("many", 1, kill.signal)[Symbol.asyncIterator]();
      await listing.next();
      await stopHelpers(uid, leader);
      kill.abort(new Ended("killed"));
      await expect(read({ [Symbol.asyncIterator]: () => listing })).rejects.toMatchObject({ ending: "killed" });
    }),
  );

  test("a kill ends the reading of a file whose process has stopped", () =>
    after(largeFile, async ({ environment }, uid, kill) => {
      const { content, close } = await environment.open("large", kill.signal);
      await stopHelpers(uid);
      const reading = read(content);
      kill.abort(new Ended("killed"));
      await expect(reading).rejects.toMatchObject({ ending: "killed" });
      await close();
    }));

  test("a file is closed though its process has stopped", () =>
    after(largeFile, async ({ environment }, uid, { signal }) => {
      const { close } = await environment.open("large", signal);
      await stopHelpers(uid);
      await close();
    }));

  test("a kill ends the packing of files whose process has stopped", () =>
    after(largeFile, async ({ environment }, uid, kill) => {
      const trees = environment.trees.read(["large"], kill.signal)[Symbol.asyncIterator]();
      const content = (await trees.next()).value.content[Symbol.asyncIterator]();
      await content.next();
      await stopHelpers(uid);
      kill.abort(new Ended("killed"));
      await expect(read({ [Symbol.asyncIterator]: () => content })).rejects.toMatchObject({ ending: "killed" });
    }));
}
