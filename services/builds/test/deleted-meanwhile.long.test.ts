import { openMongo } from "@ci/kit/mongo/mongo";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { eventually } from "@ci/testkit/eventually";
import { gate, idsBehind } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import { limitOf } from "@ci/testkit/quotas";
import type { BuildDoc } from "../src/domain/build.js";
import { cronStore } from "../src/store/crons.js";
import { cronsOf } from "./_crons.js";
import { bootBuilds, clients, manifest } from "./_suite.js";

// One replica stalls between its last check and its write, while a deletion completes everywhere else.

const suite = bootBuilds();
const crons = cronsOf(suite);
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
});
afterAll(() => mongo[Symbol.asyncDispose]());

type Doc = { _id: number } & Partial<Pick<BuildDoc, "namespaceId" | "userId" | "status">>;
const stored = (collection: string, id: number) => mongo.db.collection<Doc>(collection).findOne({ _id: id });
const buildIs = (id: number, expected: object) =>
  eventually(async () => expect(await stored("builds", id)).toMatchObject(expected));
const isDeleted = (collection: string, id: number) =>
  eventually(async () => expect(await stored(collection, id)).toBeNull());

type Clients = ReturnType<typeof clients>;
interface Place {
  readonly user: User;
  readonly namespace: Namespace;
  /** A manifest that names the namespace. */
  readonly text: string;
}
type Deletes = "namespace" | "user";

let places = 0;
async function aPlace(): Promise<Place> {
  const name = `late${++places}`;
  const user = await suite.accounts.aUser(name);
  return { user, namespace: await suite.accounts.aNamespace(user, name), text: `namespace: ${name}${manifest}` };
}

/** Deletes the namespace or the user, and waits until this service has processed the deletion. */
async function deleteAll({ user, namespace, text }: Place, what: Deletes): Promise<void> {
  const witness = await suite.submit(user, text);
  if (what === "namespace") await suite.as(user, () => suite.accounts.namespaces.deleteNamespace({ id: namespace.id }));
  else await suite.as(suite.users.ann, () => suite.accounts.accounts.deleteUser({ username: user.username }));
  if (what === "user") return buildIs(witness.id, { status: "killed" });
  await eventually(async () => expect(await stored("builds", witness.id)).not.toHaveProperty("namespaceId"));
}

/** Postpones the sweeps, so that only the creator's recheck can find something. */
const postponeSweeps = () =>
  mongo.db
    .collection("deletions")
    .updateMany({ sweepAt: { $exists: true } }, { $set: { sweepAt: new Date("2999-01-01") } });

/** The replicas that stalled. They run until the end of the tests, because they recheck what they created. */
const stopping: AsyncDisposable[] = [];
afterAll(async () => {
  for (const service of stopping) await service[Symbol.asyncDispose]();
});

/** Returns the answer to a call that stalled until after the deletion. */
async function createdLate<T>(place: Place, what: Deletes, create: (through: Clients) => Promise<T>): Promise<T> {
  const stall = gate();
  const service = await suite.startService({ db: idsBehind(stall, mongo.db) });
  stopping.push(service);
  const peer = connect(`127.0.0.1:${service.port}`);
  try {
    const creating = suite.as(place.user, () => create(clients(peer)));
    await Promise.race([stall.reached, creating]);
    await deleteAll(place, what);
    await postponeSweeps();
    stall.open();
    return await creating;
  } finally {
    stall.open();
    await peer[Symbol.asyncDispose]();
  }
}

async function isReleased(user: User, id: number): Promise<void> {
  await eventually(async () => expect(await stored("builds", id)).not.toHaveProperty("namespaceId"));
  const { builds } = await suite.as(user, () => suite.builds.listBuilds({ tag: "", search: "" }));
  expect(builds).toContainEqual(expect.objectContaining({ id, status: "queued", namespaceId: undefined }));
}

describe("a build submitted meanwhile", () => {
  const submit = (text: string) => async (through: Clients) =>
    (await through.builds.submitBuild({ manifest: text, comment: "", tags: [] })).build!;

  it("leaves its deleted namespace and stays with its submitter", async () => {
    const place = await aPlace();
    const { id } = await createdLate(place, "namespace", submit(place.text));
    await isReleased(place.user, id);
  });

  it("is killed if its user was deleted", async () => {
    const place = await aPlace();
    const { id } = await createdLate(place, "user", submit(manifest));
    await buildIs(id, { status: "killed" });
  });

  it("leaves its deleted namespace even if it is a restart", async () => {
    const place = await aPlace();
    const { id, number, userId } = await suite.submit(place.user, place.text);
    await suite.as(place.user, () => suite.builds.killBuild({ ref: { userId, number } }));
    await buildIs(id, { status: "killed" });
    const restarted = await createdLate(
      place,
      "namespace",
      async (through) => (await through.builds.restartBuild({ ref: { userId, number }, restartOf: "" })).build!,
    );
    await isReleased(place.user, restarted.id);
  });
});

describe.each<Deletes>(["namespace", "user"])("when the %s was deleted", (what) => {
  it("a cron job created meanwhile is deleted too", async () => {
    const place = await aPlace();
    const request = { name: "late", schedule: "", manifest: place.text };
    const { cron } = await createdLate(place, what, (through) => through.crons.createCron(request));
    await isDeleted("crons", cron!.id);
  });

  it("a repository added meanwhile is deleted too", async () => {
    const place = await aPlace();
    const request = {
      namespaceId: place.namespace.id,
      provider: "github",
      url: "https://git.test/a.git",
      secret: "secret",
    };
    const { repository } = await createdLate(place, what, (through) => through.repositories.createRepository(request));
    await isDeleted("repositories", repository!.id);
  });
});

it("a cron job that moves into a namespace during its deletion is deleted too", async () => {
  const place = await aPlace();
  const cron = await crons.create(place.user);
  const stall = gate();
  // An update reserves no id, so the write itself stalls.
  const real = cronStore(mongo.db, () => undefined, limitOf("Cron jobs", "user"));
  const change: typeof real.change = (...request) => stall.pass().then(() => real.change(...request));
  const service = await suite.startService({ crons: { ...real, change } });
  stopping.push(service);
  await using peer = connect(`127.0.0.1:${service.port}`);
  const moving = suite.as(place.user, () =>
    clients(peer).crons.updateCron({ id: cron.id, manifest: place.text, name: "", schedule: "" }),
  );
  await Promise.race([stall.reached, moving]);
  await deleteAll(place, "namespace");
  await postponeSweeps();
  stall.open();
  await moving;
  await isDeleted("crons", cron.id);
});

it("a sweep finds a build whose creator died before its recheck, no matter how late", async () => {
  const place = await aPlace();
  const { id } = await suite.submit(place.user);
  const { user, namespace } = place;
  await deleteAll(place, "namespace");
  for (const laterMs of [11_000, 3_600_000, 30 * 24 * 3_600_000]) {
    const orphan = { namespaceId: namespace.id, rootId: namespace.id, ownerId: user.id };
    await mongo.db.collection<Doc>("builds").updateOne({ _id: id }, { $set: orphan });
    suite.advanceClock(laterMs);
    await isReleased(user, id);
  }
});
