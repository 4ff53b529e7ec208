import { openMongo } from "@ci/kit/mongo/mongo";
import { eventually } from "@ci/testkit/eventually";
import type { Filter } from "mongodb";
import type { BuildDoc } from "../src/domain/build.js";
import { type Cause, entryOf } from "../src/domain/entry.js";
import type { HookDelivery } from "../src/store/hooks/hook-deliveries.js";
import { cronsOf } from "./_crons.js";
import { bootHooks, manifest } from "./repositories/_hooks.js";

const { suite, hooked } = bootHooks();
const crons = cronsOf(suite);
const matrix = `matrix: {N: [1, 2, 3]}${manifest}`;
const collection = <T extends object>(name: string) => suite.database().collection<T>(name);
let namespaces: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  namespaces = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_namespaces`);
});
beforeEach(() => audit().deleteMany(everything));
afterAll(() => namespaces[Symbol.asyncDispose]());

const everything = { _id: { $gt: "" } };
const audit = () => namespaces.db.collection<{ _id: string; record: string }>("audit");
const allRecorded = () => eventually(async () => expect(await audit().countDocuments(everything)).toBe(3));

/** Leaves the builds of a matrix as a process that died while it stored them. */
async function interrupt(which: Filter<BuildDoc>, cause: Cause): Promise<void> {
  await allRecorded();
  const docs = await collection<BuildDoc>("builds").find(which).sort({ _id: 1 }).toArray();
  const [first, ...others] = docs.map(({ _id }) => _id);
  expect(others).toHaveLength(2);
  const held = docs.map((doc) => {
    const made = { userId: doc.userId, username: doc.names!.user, number: doc.number, namespace: undefined };
    return { ...doc, auditEntry: entryOf(cause, made) };
  });
  await audit().deleteMany({ ...everything, record: { $not: new RegExp(`/${docs[0]!.number}$`) } });
  expect(await audit().countDocuments(everything)).toBe(1);
  await collection<BuildDoc>("builds").deleteMany({ _id: { $in: others } });
  await collection<{ _id: number }>("groups").insertOne({ _id: first!, docs: held } as { _id: number });
}

it("all builds of a push whose matrix was stored in part have entries in the audit log", async () => {
  const { git, push, record } = await hooked();
  const sha = await git.commit({ ".service-ci.yml": matrix });
  expect(await push({ sha })).toHaveLength(3);
  const which = { repositoryId: record.id };
  const delivery = await collection<HookDelivery>("hookDeliveries").findOne(which);
  await interrupt({ "origin.deliveryId": delivery!._id }, { actor: "hook", origin: "/hooks/gitea/1" });
  const again = { $unset: { sha: true }, $set: { dueAt: new Date(0) } } as const;
  await collection<HookDelivery>("hookDeliveries").updateOne(which, again);
  await (await hooked()).push({ sha: "1".repeat(40) });
  await eventually(async () =>
    expect(await collection<HookDelivery>("hookDeliveries").findOne(which)).toMatchObject({ sha }),
  );
  await allRecorded();
});

it("all builds of a cron job's run whose matrix was stored in part have entries in the audit log", async () => {
  const { ann } = suite.users;
  const before = await crons.create(ann, { manifest: matrix.replace("namespace: elsewhere", "") });
  crons.advancePast(before);
  await crons.create(ann);
  await crons.afterRun(ann, before);
  await interrupt({ cronId: before.id }, { actor: "cron", origin: `/cron/${before.id}` });
  const again = { $set: { nextRun: before.nextRun, wakeAt: new Date(0) } };
  await collection<{ _id: number }>("crons").updateOne({ _id: before.id }, again);
  await crons.create(ann);
  await crons.afterRun(ann, before);
  await allRecorded();
});
