import { openMongo } from "@ci/kit/mongo/mongo";
import { CronServiceDefinition } from "@ci/proto/builds/v1/crons";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import { cronStore } from "../src/store/crons.js";
import { cronsOn, dayMs } from "./_crons.js";
import { bootBuilds, fault, manifest } from "./_suite.js";

const on = bootBuilds();
const crons = cronsOn(on);
const inside = (namespace: string) => `namespace: ${namespace}${manifest}`;
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(on.names.mongoUrl, `${on.names.mongoDb}_builds`);
});
afterAll(() => mongo[Symbol.asyncDispose]());

/** Nothing of it is left, once the relay has told of its end. */
const isForgotten = (id: number) =>
  eventually(async () => expect(await mongo.db.collection<{ _id: number }>("crons").findOne({ _id: id })).toBeNull());

/** Of what is told of it, this is the last. */
const isTold = (id: number, last: object) => eventually(() => expect(crons.told(id).at(-1)).toMatchObject(last));

const removeNamespace = (user: User, id: number) => on.as(user, () => on.accounts.namespaces.deleteNamespace({ id }));

describe("a namespace that is removed", () => {
  it("takes its cron jobs and those below it along, and leaves the builds they made", async () => {
    const { ann } = on.users;
    const root = await on.accounts.aNamespace(ann, "going");
    const jobs = [
      await crons.create(ann, { manifest: inside("going") }),
      await crons.create(ann, { manifest: inside("going/deeper/still") }),
    ];
    const kept = await crons.create(ann, { manifest: inside("staying") });
    on.later(dayMs);
    await Promise.all([...jobs, kept].map((cron) => crons.ranOn(ann, cron)));
    await removeNamespace(ann, root.id);
    for (const { id } of jobs) {
      await isForgotten(id);
      await isTold(id, { action: "deleted", actorId: undefined, namespaceId: undefined });
      await eventually(async () => expect((await crons.madeBy(ann, id))[0]!.namespaceId).toBeUndefined());
    }
    expect(await crons.get(ann, kept.id)).toMatchObject({ namespaceId: kept.namespaceId });
    expect((await crons.list(ann)).crons.map(({ id }) => id)).toEqual([kept.id]);
  });

  it("also takes one that was just being made", async () => {
    const { bob } = on.users;
    const root = await on.accounts.aNamespace(bob, "closing");
    const { insert, ...rest } = cronStore(mongo.db, () => {});
    const { reached, pass, open } = gate();
    const held: typeof insert = (doc) => pass().then(() => insert(doc));
    const late = await on.another({ crons: { ...rest, insert: held } });
    const peer = connect(`127.0.0.1:${late.port}`);
    const client = peer.client(CronServiceDefinition);
    const witness = await crons.create(bob, { manifest: inside("closing") });
    const making = on.as(bob, () => client.createCron({ name: "too late", manifest: inside("closing") }));
    await reached;
    await removeNamespace(bob, root.id);
    await isForgotten(witness.id);
    open();
    const { cron } = await making;
    await isForgotten(cron!.id);
    expect((await crons.list(bob)).crons).toEqual([]);
    await peer[Symbol.asyncDispose]();
    await late[Symbol.asyncDispose]();
  });
});

describe("a user who is deleted", () => {
  it("has no cron jobs any more, while what was made for others stays", async () => {
    const { ann, eve } = on.users;
    const theirs = await on.accounts.aNamespace(eve, "workshop");
    await crons.invite(ann, await on.accounts.aNamespace(ann, "factory"), eve);
    await crons.invite(eve, theirs, ann);
    const jobs = [
      await crons.create(eve),
      await crons.create(eve, { manifest: inside("workshop") }),
      await crons.create(ann, { manifest: inside("workshop@eve") }),
    ];
    const forAnn = await crons.create(eve, { manifest: inside("factory@ann") });
    await on.as(ann, () => on.accounts.accounts.deleteUser({ username: eve.username }));
    for (const { id, namespaceId } of jobs) {
      await isForgotten(id);
      await isTold(id, { action: "deleted", actorId: undefined, namespaceId });
    }
    expect(await fault(crons.get(ann, jobs[2]!.id))).toMatchObject({ code: "not_found" });
    expect(await crons.get(ann, forAnn.id)).toMatchObject({ userId: ann.id, authorId: eve.id });
  });
});
