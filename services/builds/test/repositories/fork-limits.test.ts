import { eventually } from "@ci/testkit/eventually";
import { BSON, type Filter } from "mongodb";
import type { BuildDoc } from "../../src/domain/build.js";
import { bootHooks, type Hooked, manifest } from "./_hooks.js";

const { suite, hooked, deliveriesOf, redeliver } = bootHooks();
const stored = () => suite.database().collection<BuildDoc>("builds");
const dayMs = 24 * 3600 * 1_000;

let count = 0;
async function submit({ git, pull, push }: Hooked, fork = true, text = manifest) {
  const number = 100 + ++count;
  const sha = await git.commit({ ".service-ci.yml": text, number: `${number}` });
  return fork ? pull({ sha, fork, number }) : push({ sha });
}

/** Opens a request, and stores copies of its build as if there were further requests. */
async function withCopies(hook: Hooked, copies: number, change: Partial<BuildDoc> = {}) {
  const [ref] = await submit(hook);
  const { origin, ...doc } = await eventually(async () => {
    const found = (await stored().findOne({ ...ref, "outbox.0": { $exists: false } }))!;
    expect(found).not.toBeNull();
    return found;
  });
  const copy = (_: unknown, index: number): BuildDoc => {
    const id = 1_000_000 + ++count;
    const subject = `${hook.record.id}/pull/copy${index}`;
    return { ...doc, _id: id, number: id, origin: { ...origin!, deliveryId: `copy${id}`, subject }, ...change };
  };
  await stored().insertMany(Array.from({ length: copies }, copy));
  return ref!;
}

const refused = async (hook: Hooked, reason: string) => {
  expect(await submit(hook)).toEqual([]);
  const [delivery] = await deliveriesOf(hook);
  expect(delivery).toMatchObject({ status: "failed", reasons: [expect.stringContaining(reason)] });
  return delivery!;
};
const act = (ref: { userId: number; number: number }) => ({
  approve: () => suite.as(suite.users.ann, () => suite.builds.approveBuild({ ref })),
  kill: () => suite.as(suite.users.ann, () => suite.builds.killBuild({ ref })),
});

const tooMany =
  "More than 500 builds of forks would wait for approval in this repository; approve or kill waiting builds";

it("at most 500 builds of forks wait in a repository; members' builds and other repositories are not affected", async () => {
  const hook = await hooked();
  const waiting = await withCopies(hook, 498);
  const [last] = await submit(hook);
  const { id } = await refused(hook, tooMany);
  expect(await submit(hook, false)).toHaveLength(1);
  expect(await submit(await hooked())).toHaveLength(1);
  await act(waiting).kill();
  await redeliver(hook, id);
  const again = await refused(hook, tooMany);
  await act(last!).approve();
  await redeliver(hook, again.id);
});

it("deliveries that arrive at the same moment share the limit", async () => {
  const hook = await hooked();
  await withCopies(hook, 498);
  const made = await Promise.all(Array.from({ length: 8 }, () => submit(hook)));
  expect(made.flat()).toHaveLength(1);
});

it("at most 32 MiB of builds of forks wait in a repository", async () => {
  const hook = await hooked();
  const large = `#${"x".repeat(20_000)}\n${manifest}`;
  const max = 32 * 1024 ** 2;
  const ref = await withCopies(hook, 1, { unapprovedBytes: max - 10_000 });
  const { unapprovedBytes, ...doc } = (await stored().findOne(ref))!;
  const bytes = BSON.calculateObjectSize(doc);
  expect(Math.abs(unapprovedBytes! - bytes)).toBeLessThan(200);
  expect(await submit(hook, true, large)).toEqual([]);
  const reason = /^More than 32.MiB of builds of forks would wait for approval in this repository; approve or kill/;
  expect((await deliveriesOf(hook))[0]!.reasons).toEqual([expect.stringMatching(reason)]);
  expect(await submit(hook, false, large)).toHaveLength(1);
  expect(await submit(hook)).toHaveLength(1);
});

it("counting reads only the index, and no more of it than the limits allow", async () => {
  const hook = await hooked();
  await withCopies(hook, 3_000);
  const own: Filter<BuildDoc> = { "origin.repositoryId": hook.record.id, awaitsApproval: true };
  await stored().updateMany({ ...own, number: { $mod: [2, 1] } }, { $set: { status: "killed" } });
  const db = suite.database();
  await db.command({ profile: 2 });
  await refused(hook, tooMany);
  await db.command({ profile: 0 });
  const counted = { ns: `${db.databaseName}.builds`, "command.hint": { $exists: true } };
  const read = await db.collection("system.profile").find(counted).toArray();
  expect(read.map(({ docsExamined }) => docsExamined)).toEqual([0, 0]);
  for (const { keysExamined } of read) expect(keysExamined).toBeLessThanOrEqual(1_002);
});

it("forks make at most 1,000 builds a day that no member has approved", async () => {
  const hook = await hooked();
  const killed = { status: "killed" as const, awaitsApproval: true as const };
  const first = await withCopies(hook, 998, killed);
  const [second] = await submit(hook);
  const reason = "Forks would have made more than 1000 unapproved builds in this repository within 24 hours";
  const { id } = await refused(hook, reason);
  expect(await submit(hook, false)).toHaveLength(1);
  await act(first).approve();
  await redeliver(hook, id);
  await act(second!).kill();
  const again = await refused(hook, reason);
  suite.advanceClock(dayMs);
  await redeliver(hook, again.id);
});
