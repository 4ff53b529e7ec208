import { openMongo } from "@ci/kit/mongo/mongo";
import { CronServiceDefinition } from "@ci/proto/builds/v1/crons";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import { limitOf } from "@ci/testkit/quotas";
import { cronStore } from "../src/store/crons.js";
import { cronsOf, dayMs } from "./_crons.js";
import { bootBuilds, fault, manifest } from "./_suite.js";

const suite = bootBuilds();
const crons = cronsOf(suite);
const inside = (namespace: string) => `namespace: ${namespace}${manifest}`;
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
});
afterAll(() => mongo[Symbol.asyncDispose]());

/** Waits until a cron job's document is gone; the relay removes it after its last event. */
const isDeleted = (id: number) =>
  eventually(async () => expect(await mongo.db.collection<{ _id: number }>("crons").findOne({ _id: id })).toBeNull());

/** Waits until a cron job's last event matches. */
const lastEventIs = (id: number, last: object) => eventually(() => expect(crons.events(id).at(-1)).toMatchObject(last));

const deleteNamespace = (user: User, id: number) =>
  suite.as(user, () => suite.accounts.namespaces.deleteNamespace({ id }));

describe("deleting a namespace", () => {
  it("deletes its cron jobs and those of its children, but keeps their builds", async () => {
    const { ann } = suite.users;
    const root = await suite.accounts.aNamespace(ann, "going");
    const jobs = [
      await crons.create(ann, { manifest: inside("going") }),
      await crons.create(ann, { manifest: inside("going/deeper/still") }),
    ];
    const kept = await crons.create(ann, { manifest: inside("staying") });
    suite.advanceClock(dayMs);
    await Promise.all([...jobs, kept].map((cron) => crons.afterRun(ann, cron)));
    await deleteNamespace(ann, root.id);
    for (const { id } of jobs) {
      await isDeleted(id);
      await lastEventIs(id, { action: "deleted", actorId: undefined, namespaceId: undefined });
      await eventually(async () => expect((await crons.buildsOf(ann, id))[0]!.namespaceId).toBeUndefined());
    }
    expect(await crons.get(ann, kept.id)).toMatchObject({ namespaceId: kept.namespaceId });
    expect((await crons.list(ann)).crons.map(({ id }) => id)).toEqual([kept.id]);
  });

  it("also deletes a cron job that is being created at that moment", async () => {
    const { bob } = suite.users;
    const root = await suite.accounts.aNamespace(bob, "closing");
    const { insert, ...rest } = cronStore(mongo.db, () => {}, limitOf("Cron jobs", "user"));
    const { reached, pass, open } = gate();
    const stalledInsert: typeof insert = (doc) => pass().then(() => insert(doc));
    const late = await suite.startService({ crons: { ...rest, insert: stalledInsert } });
    const peer = connect(`127.0.0.1:${late.port}`);
    const client = peer.client(CronServiceDefinition);
    const witness = await crons.create(bob, { manifest: inside("closing") });
    const creating = suite.as(bob, () => client.createCron({ name: "too late", manifest: inside("closing") }));
    await reached;
    await deleteNamespace(bob, root.id);
    await isDeleted(witness.id);
    open();
    const { cron } = await creating;
    await isDeleted(cron!.id);
    expect((await crons.list(bob)).crons).toEqual([]);
    await peer[Symbol.asyncDispose]();
    await late[Symbol.asyncDispose]();
  });
});

describe("deleting a user", () => {
  it("deletes the user's cron jobs, but keeps the cron jobs that the user created for others", async () => {
    const { ann, eve } = suite.users;
    const workshop = await suite.accounts.aNamespace(eve, "workshop");
    await crons.invite(ann, await suite.accounts.aNamespace(ann, "factory"), eve);
    await crons.invite(eve, workshop, ann);
    const jobs = [
      await crons.create(eve),
      await crons.create(eve, { manifest: inside("workshop") }),
      await crons.create(ann, { manifest: inside("workshop@eve") }),
    ];
    const cronOfAnn = await crons.create(eve, { manifest: inside("factory@ann") });
    await suite.as(ann, () => suite.accounts.accounts.deleteUser({ username: eve.username }));
    for (const { id, namespaceId } of jobs) {
      await isDeleted(id);
      await lastEventIs(id, { action: "deleted", actorId: undefined, namespaceId });
    }
    expect(await fault(crons.get(ann, jobs[2]!.id))).toMatchObject({ code: "not_found" });
    expect(await crons.get(ann, cronOfAnn.id)).toMatchObject({ userId: ann.id, authorId: eve.id });
  });
});
