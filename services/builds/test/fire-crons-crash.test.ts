import { openMongo } from "@ci/kit/mongo/mongo";
import type { Cron } from "@ci/proto/builds/v1/crons";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import type { Context } from "../src/context.js";
import { buildStore } from "../src/store/builds.js";
import { cronStore } from "../src/store/crons.js";
import { cronsOn, dayMs } from "./_crons.js";
import { bootBuilds, manifest } from "./_suite.js";

// A second service, whose clock is a day ahead and which alone takes the runs for due, ends at one line or another.
// The first one is then turned to the same day.

const on = bootBuilds();
const crons = cronsOn(on);
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(on.names.mongoUrl, `${on.names.mongoDb}_builds`);
});
afterAll(() => mongo[Symbol.asyncDispose]());

const death = () => new Error("The process is gone");
const nobody = () => {};

/** Starts a service a day ahead, parts of which do otherwise than usual. */
const ahead = (parts: Partial<Pick<Context, "builds" | "crons">>) =>
  on.another({ now: () => new Date(on.now().getTime() + dayMs), ...parts });

/** Builds as usual, but the one of this cron job is stored as `instead` says. */
function builds({ id }: Cron, instead: (store: () => Promise<void>) => Promise<void>): Context["builds"] {
  const real = buildStore(mongo.db, nobody);
  return {
    ...real,
    insert: (doc) => (doc.cronId === id ? instead(() => real.insert(doc)) : real.insert(doc)),
  };
}

/** Turns the first service to the day of the second, and past the time for which that had claimed the run. */
const followUp = () => on.later(dayMs + 20_000);

async function expectOneBuild(before: Cron, user = on.users.ann) {
  const after = await crons.ranOn(user, before);
  const made = await crons.madeBy(user, before.id);
  expect(made).toHaveLength(1);
  expect(after).toMatchObject({ prevRun: made[0]!.createdAt, nextRun: expect.any(Date) });
  expect(after.lastError).toBeUndefined();
  return made[0]!;
}

describe("the run makes one build when the service ends", () => {
  it("after it has claimed the run", async () => {
    const cron = await crons.create(on.users.ann);
    const dying = gate();
    const dies = async () => {
      dying.pass();
      throw death();
    };
    const victim = await ahead({ builds: builds(cron, dies) });
    await dying.reached;
    await victim[Symbol.asyncDispose]();
    expect(await crons.madeBy(on.users.ann, cron.id)).toEqual([]);
    followUp();
    await expectOneBuild(cron);
  });

  it("after it has stored the build", async () => {
    const user = await on.accounts.aUser("counting");
    const cron = await crons.create(user);
    const dying = gate();
    const storesAndDies = async (store: () => Promise<void>) => {
      await store();
      dying.pass();
      throw death();
    };
    const victim = await ahead({ builds: builds(cron, storesAndDies) });
    await dying.reached;
    await victim[Symbol.asyncDispose]();
    const [stored] = await crons.madeBy(user, cron.id);
    expect((await crons.get(user, cron.id)).nextRun).toEqual(cron.nextRun);
    followUp();
    expect((await expectOneBuild(cron, user)).id).toBe(stored!.id);
    // Nobody has tried to make a second one.
    expect((await on.submit(user)).number).toBe(stored!.number + 1);
  });

  it("before it has counted the run as done", async () => {
    const cron = await crons.create(on.users.ann);
    const dying = gate();
    const real = cronStore(mongo.db, nobody);
    const change: typeof real.change = async (was, set, eventOf) => {
      if (was._id !== cron.id || !("prevRun" in set)) return real.change(was, set, eventOf);
      dying.pass();
      throw death();
    };
    const victim = await ahead({ crons: { ...real, change } });
    await dying.reached;
    await victim[Symbol.asyncDispose]();
    const [stored] = await crons.madeBy(on.users.ann, cron.id);
    followUp();
    expect((await expectOneBuild(cron)).id).toBe(stored!.id);
  });

  it("or only seemed to, and stores its build after another has", async () => {
    const cron = await crons.create(on.users.ann);
    const held = gate();
    const late = await ahead({ builds: builds(cron, (store) => held.pass().then(store)) });
    await held.reached;
    followUp();
    const made = await expectOneBuild(cron);
    held.open();
    await late[Symbol.asyncDispose]();
    expect((await crons.madeBy(on.users.ann, cron.id)).map(({ id }) => id)).toEqual([made.id]);
    expect((await crons.get(on.users.ann, cron.id)).prevRun).toEqual(made.createdAt);
  });
});

/** Holds a service that makes the build of a run just before it stores it; `dies` says whether it ends after that. */
async function heldBeforeInsert(cron: Cron, dies: boolean) {
  const held = gate();
  const stored = gate();
  const holds = async (store: () => Promise<void>) => {
    await held.pass();
    await store();
    stored.pass();
    if (dies) throw death();
  };
  const service = await ahead({ builds: builds(cron, holds) });
  await held.reached;
  const store = () => {
    held.open();
    return stored.reached;
  };
  return { service, store };
}

const cronIsGone = (id: number) => eventually(async () => expect(await cronStore(mongo.db, nobody).get(id)).toBeNull());

/** A sweep comes again when a deletion is twice as old, which on a busy machine may be minutes. */
const sweep = { withinMs: 170_000 };

describe.each([
  ["goes on", false],
  ["ends there", true],
])("a service that has stored the build and %s", (_what, dies) => {
  it("leaves none in a namespace that was removed just before", async () => {
    const { ann } = on.users;
    const name = dies ? "removed/first" : "removed/second";
    const cron = await crons.create(ann, { manifest: `namespace: ${name}${manifest}` });
    const { service, store } = await heldBeforeInsert(cron, dies);
    await on.as(ann, () => on.accounts.namespaces.deleteNamespace({ id: cron.namespaceId! }));
    await cronIsGone(cron.id);
    await store();
    await service[Symbol.asyncDispose]();
    // So that the build is old enough to be looked at by others.
    followUp();
    await eventually(async () => {
      const [build] = await crons.madeBy(ann, cron.id);
      expect(build).toMatchObject({ userId: ann.id, status: "queued" });
      expect(build!.namespaceId).toBeUndefined();
    }, sweep);
    expect(await buildStore(mongo.db, nobody).inNamespace(cron.namespaceId!)).toEqual([]);
  });

  it("leaves none queued of a user who was deleted just before", async () => {
    const user = await on.accounts.aUser(dies ? "leaver" : "quitter");
    const cron = await crons.create(user);
    const { service, store } = await heldBeforeInsert(cron, dies);
    await on.as(on.users.ann, () => on.accounts.accounts.deleteUser({ username: user.username }));
    await cronIsGone(cron.id);
    await store();
    await service[Symbol.asyncDispose]();
    followUp();
    await eventually(async () => {
      const [build] = await crons.madeBy(user, cron.id);
      expect(build).toMatchObject({ status: "killed" });
    }, sweep);
  });
});
