import { openMongo } from "@ci/kit/mongo/mongo";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { eventually } from "@ci/testkit/eventually";
import { gate, idsBehind } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import type { BuildDoc } from "../src/domain/build.js";
import { cronStore } from "../src/store/crons.js";
import { cronsOn } from "./_crons.js";
import { bootBuilds, clients, manifest } from "./_suite.js";

// One replica stalls between its last check and its write, until a deletion has been done everywhere.

const on = bootBuilds();
const crons = cronsOn(on);
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(on.names.mongoUrl, `${on.names.mongoDb}_builds`);
});
afterAll(() => mongo[Symbol.asyncDispose]());

type Doc = { _id: number } & Partial<Pick<BuildDoc, "namespaceId" | "userId" | "status">>;
const stored = (collection: string, id: number) => mongo.db.collection<Doc>(collection).findOne({ _id: id });
const buildIs = (id: number, what: object) =>
  eventually(async () => expect(await stored("builds", id)).toMatchObject(what));
const isGone = (collection: string, id: number) =>
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
  const user = await on.accounts.aUser(name);
  return { user, namespace: await on.accounts.aNamespace(user, name), text: `namespace: ${name}${manifest}` };
}

/** Deletes the namespace or the user, and waits until everything that it entails here has been done. */
async function deleteAll({ user, namespace, text }: Place, what: Deletes): Promise<void> {
  const witness = await on.submit(user, text);
  if (what === "namespace") await on.as(user, () => on.accounts.namespaces.deleteNamespace({ id: namespace.id }));
  else await on.as(on.users.ann, () => on.accounts.accounts.deleteUser({ username: user.username }));
  if (what === "user") return buildIs(witness.id, { status: "killed" });
  await eventually(async () => expect(await stored("builds", witness.id)).not.toHaveProperty("namespaceId"));
}

/** Keeps the sweeps off, so that only the creator's own second look can find something. */
const sweepNothing = () =>
  mongo.db
    .collection("deletions")
    .updateMany({ sweepAt: { $exists: true } }, { $set: { sweepAt: new Date("2999-01-01") } });

/** The replicas that have stalled: they look a second time while they run. */
const stopping: AsyncDisposable[] = [];
afterAll(async () => {
  for (const service of stopping) await service[Symbol.asyncDispose]();
});

/** What a call that stalls is answered in the end. */
async function createdLate<T>(place: Place, what: Deletes, create: (through: Clients) => Promise<T>): Promise<T> {
  const stall = gate();
  const service = await on.another({ db: idsBehind(stall, mongo.db) });
  stopping.push(service);
  const peer = connect(`127.0.0.1:${service.port}`);
  try {
    const creating = on.as(place.user, () => create(clients(peer)));
    await Promise.race([stall.reached, creating]);
    await deleteAll(place, what);
    await sweepNothing();
    stall.open();
    return await creating;
  } finally {
    stall.open();
    await peer[Symbol.asyncDispose]();
  }
}

async function isReleased(user: User, id: number): Promise<void> {
  await eventually(async () => expect(await stored("builds", id)).not.toHaveProperty("namespaceId"));
  const { builds } = await on.as(user, () => on.builds.listBuilds({ tag: "", search: "" }));
  expect(builds).toContainEqual(expect.objectContaining({ id, status: "queued", namespaceId: undefined }));
}

describe("a build that is submitted meanwhile", () => {
  const submit = (text: string) => async (through: Clients) =>
    (await through.builds.submitBuild({ manifest: text, comment: "", tags: [] })).build!;

  it("is its submitter's alone when its namespace was deleted", async () => {
    const place = await aPlace();
    const { id } = await createdLate(place, "namespace", submit(place.text));
    await isReleased(place.user, id);
  });

  it("is killed when its user was deleted", async () => {
    const place = await aPlace();
    const { id } = await createdLate(place, "user", submit(manifest));
    await buildIs(id, { status: "killed" });
  });

  it("is its submitter's alone also when it is a restart", async () => {
    const place = await aPlace();
    const { id, number, userId } = await on.submit(place.user, place.text);
    await on.as(place.user, () => on.builds.killBuild({ ref: { userId, number } }));
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
  it("a cron job that is created meanwhile goes too", async () => {
    const place = await aPlace();
    const ask = { name: "late", schedule: "", manifest: place.text };
    const { cron } = await createdLate(place, what, (through) => through.crons.createCron(ask));
    await isGone("crons", cron!.id);
  });

  it("a repository that is added meanwhile goes too", async () => {
    const place = await aPlace();
    const wish = {
      namespaceId: place.namespace.id,
      provider: "github",
      url: "https://git.test/a.git",
      secret: "secret",
    };
    const { repository } = await createdLate(place, what, (through) => through.repositories.createRepository(wish));
    await isGone("repositories", repository!.id);
  });
});

it("a cron job that moves into a namespace meanwhile goes with it", async () => {
  const place = await aPlace();
  const cron = await crons.create(place.user);
  const stall = gate();
  // An update reserves no id: the write itself waits.
  const real = cronStore(mongo.db, () => undefined);
  const change: typeof real.change = (...ask) => stall.pass().then(() => real.change(...ask));
  const service = await on.another({ crons: { ...real, change } });
  stopping.push(service);
  await using peer = connect(`127.0.0.1:${service.port}`);
  const moving = on.as(place.user, () =>
    clients(peer).crons.updateCron({ id: cron.id, manifest: place.text, name: "", schedule: "" }),
  );
  await Promise.race([stall.reached, moving]);
  await deleteAll(place, "namespace");
  await sweepNothing();
  stall.open();
  await moving;
  await isGone("crons", cron.id);
});

it("what was created by a process that died before its second look is found, however late", async () => {
  const place = await aPlace();
  const { id } = await on.submit(place.user);
  const { user, namespace } = place;
  await deleteAll(place, "namespace");
  for (const laterMs of [11_000, 3_600_000, 30 * 24 * 3_600_000]) {
    const orphan = { namespaceId: namespace.id, rootId: namespace.id, ownerId: user.id };
    await mongo.db.collection<Doc>("builds").updateOne({ _id: id }, { $set: orphan });
    on.later(laterMs);
    await isReleased(user, id);
  }
});
