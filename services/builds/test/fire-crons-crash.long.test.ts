import { openMongo } from "@ci/kit/mongo/mongo";
import type { Cron } from "@ci/proto/builds/v1/crons";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { limitOf } from "@ci/testkit/quotas";
import type { Context } from "../src/context.js";
import { buildStore } from "../src/store/builds.js";
import { cronStore } from "../src/store/crons.js";
import { cronsOf, dayMs } from "./_crons.js";
import { bootBuilds, manifest } from "./_suite.js";

// A second service, whose clock is a day ahead, is the only one that considers the runs due. It dies at some line.
// Then the first service's clock catches up.

const suite = bootBuilds();
const crons = cronsOf(suite);
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
});
afterAll(() => mongo[Symbol.asyncDispose]());

const processDied = () => new Error("The process died");
const noWake = () => {};

/** Starts a service whose clock is a day ahead, with these parts replaced. */
const ahead = (parts: Partial<Pick<Context, "builds" | "crons">>) =>
  suite.startService({ now: () => new Date(suite.now().getTime() + dayMs), ...parts });

/** Returns a build store that leaves the insertion of this cron job's build to `insertBuild`. */
function builds({ id }: Cron, insertBuild: (store: () => Promise<void>) => Promise<void>): Context["builds"] {
  const real = buildStore(mongo.db, noWake);
  return {
    ...real,
    async insert(docs) {
      if (docs[0]!.cronId !== id) return real.insert(docs);
      await insertBuild(async () => void (await real.insert(docs)));
      return docs;
    },
  };
}

/** Advances the first service's clock to the day of the second one, past the end of the second one's claim. */
const catchUp = () => suite.advanceClock(dayMs + 20_000);

async function expectOneBuild(before: Cron, user = suite.users.ann) {
  const after = await crons.afterRun(user, before);
  const builds = await crons.buildsOf(user, before.id);
  expect(builds).toHaveLength(1);
  expect(after).toMatchObject({ prevRun: builds[0]!.createdAt, nextRun: expect.any(Date) });
  expect(after.lastError).toBeUndefined();
  return builds[0]!;
}

describe("a run makes exactly one build if the service", () => {
  it("dies after claiming the run", async () => {
    const cron = await crons.create(suite.users.ann);
    const dying = gate();
    const dies = async () => {
      dying.pass();
      throw processDied();
    };
    const victim = await ahead({ builds: builds(cron, dies) });
    await dying.reached;
    await victim[Symbol.asyncDispose]();
    expect(await crons.buildsOf(suite.users.ann, cron.id)).toEqual([]);
    catchUp();
    await expectOneBuild(cron);
  });

  it("dies after storing the build", async () => {
    const user = await suite.accounts.aUser("counting");
    const cron = await crons.create(user);
    const dying = gate();
    const storesAndDies = async (store: () => Promise<void>) => {
      await store();
      dying.pass();
      throw processDied();
    };
    const victim = await ahead({ builds: builds(cron, storesAndDies) });
    await dying.reached;
    await victim[Symbol.asyncDispose]();
    const [stored] = await crons.buildsOf(user, cron.id);
    expect((await crons.get(user, cron.id)).nextRun).toEqual(cron.nextRun);
    catchUp();
    expect((await expectOneBuild(cron, user)).id).toBe(stored!.id);
    // A second attempt would have used up a number.
    expect((await suite.submit(user)).number).toBe(stored!.number + 1);
  });

  it("dies before recording the run as done", async () => {
    const cron = await crons.create(suite.users.ann);
    const dying = gate();
    const real = cronStore(mongo.db, noWake, limitOf("Cron jobs", "user"));
    const change: typeof real.change = async (was, set, eventOf) => {
      if (was._id !== cron.id || !("prevRun" in set)) return real.change(was, set, eventOf);
      dying.pass();
      throw processDied();
    };
    const victim = await ahead({ crons: { ...real, change } });
    await dying.reached;
    await victim[Symbol.asyncDispose]();
    const [stored] = await crons.buildsOf(suite.users.ann, cron.id);
    catchUp();
    expect((await expectOneBuild(cron)).id).toBe(stored!.id);
  });

  it("stalls and stores its build after another service did", async () => {
    const cron = await crons.create(suite.users.ann);
    const stall = gate();
    const late = await ahead({ builds: builds(cron, (store) => stall.pass().then(store)) });
    await stall.reached;
    catchUp();
    const build = await expectOneBuild(cron);
    stall.open();
    await late[Symbol.asyncDispose]();
    expect((await crons.buildsOf(suite.users.ann, cron.id)).map(({ id }) => id)).toEqual([build.id]);
    expect((await crons.get(suite.users.ann, cron.id)).prevRun).toEqual(build.createdAt);
  });
});

/** Stalls a service just before it stores the build of a run. If `dies`, it fails right after that. */
async function stallBeforeInsert(cron: Cron, dies: boolean) {
  const stall = gate();
  const stored = gate();
  const insertAfterStall = async (store: () => Promise<void>) => {
    await stall.pass();
    await store();
    stored.pass();
    if (dies) throw processDied();
  };
  const service = await ahead({ builds: builds(cron, insertAfterStall) });
  await stall.reached;
  const store = () => {
    stall.open();
    return stored.reached;
  };
  return { service, store };
}

const cronIsDeleted = (id: number) =>
  eventually(async () => expect(await cronStore(mongo.db, noWake, limitOf("Cron jobs", "user")).get(id)).toBeNull());

/** Sweeps repeat when a deletion is twice as old, which takes minutes on a busy machine. */
const sweep = { withinMs: 400_000 };

describe.each([
  ["continues", false],
  ["dies", true],
])("a service that has stored the build and %s", (_what, dies) => {
  it("leaves no build in a namespace deleted just before", async () => {
    const { ann } = suite.users;
    const name = dies ? "removed/first" : "removed/second";
    const cron = await crons.create(ann, { manifest: `namespace: ${name}${manifest}` });
    const { service, store } = await stallBeforeInsert(cron, dies);
    await suite.as(ann, () => suite.accounts.namespaces.deleteNamespace({ id: cron.namespaceId! }));
    await cronIsDeleted(cron.id);
    await store();
    await service[Symbol.asyncDispose]();
    // Other services only check builds of some age.
    catchUp();
    await eventually(async () => {
      const [build] = await crons.buildsOf(ann, cron.id);
      expect(build).toMatchObject({ userId: ann.id, status: "queued" });
      expect(build!.namespaceId).toBeUndefined();
    }, sweep);
    expect(await mongo.db.collection("builds").countDocuments({ namespaceId: cron.namespaceId })).toBe(0);
  });

  it("leaves no queued build of a user deleted just before", async () => {
    const user = await suite.accounts.aUser(dies ? "leaver" : "quitter");
    const cron = await crons.create(user);
    const { service, store } = await stallBeforeInsert(cron, dies);
    await suite.as(suite.users.ann, () => suite.accounts.accounts.deleteUser({ username: user.username }));
    await cronIsDeleted(cron.id);
    await store();
    await service[Symbol.asyncDispose]();
    catchUp();
    await eventually(async () => {
      const [build] = await crons.buildsOf(user, cron.id);
      expect(build).toMatchObject({ status: "killed" });
    }, sweep);
  });
});
