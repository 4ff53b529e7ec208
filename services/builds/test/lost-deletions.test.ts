import { followingDeletions } from "@ci/access/follow-deletions";
import { createLog } from "@ci/kit/process/log";
import { AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { connect, serveRpc } from "@ci/testkit/identities";
import type { BuildDoc } from "../src/domain/build.js";
import { bootBuilds, manifest } from "./_suite.js";

// Nothing listens there: the service misses every event, as if NATS had lost them.
const suite = bootBuilds({ natsUrl: "nats://127.0.0.1:1" });

const builds = () => suite.database().collection<BuildDoc>("builds");
const stored = (id: number) => builds().findOne({ _id: id });

/** Starts another service, which asks for deletions, until the end of the work. */
async function withAnother(work: () => Promise<void>): Promise<void> {
  await using _ = await suite.startService();
  await work();
}

async function aPlace(name: string) {
  const user = await suite.accounts.aUser(name);
  const namespace = await suite.accounts.aNamespace(user, name);
  return { user, namespace, submit: () => suite.submit(user, `namespace: ${name}${manifest}`) };
}
type Place = Awaited<ReturnType<typeof aPlace>>;
const deleteNamespace = ({ user, namespace }: Place) =>
  suite.as(user, () => suite.accounts.namespaces.deleteNamespace({ id: namespace.id }));

it("builds of a deleted namespace move to their submitter although the event of the deletion is lost", async () => {
  const place = await aPlace("lost");
  const { id } = await place.submit();
  await deleteNamespace(place);
  await withAnother(() => eventually(async () => expect(await stored(id)).not.toHaveProperty("namespaceId")));
  expect(await stored(id)).toMatchObject({ ownerId: place.user.id, status: "queued" });
  expect(await stored(id)).not.toHaveProperty("rootId");
});

it("builds of a deleted user are killed although the event of the deletion is lost", async () => {
  const { user, submit } = await aPlace("leaver");
  const ids = await Promise.all(Array.from({ length: 45 }, async () => (await submit()).id));
  await suite.as(suite.users.ann, () => suite.accounts.accounts.deleteUser({ username: user.username }));
  await withAnother(() =>
    eventually(async () => expect(await builds().countDocuments({ _id: { $in: ids }, status: "killed" })).toBe(45)),
  );
});

it("a submitter still sees a build whose namespace has just been deleted, and may kill it", async () => {
  const place = await aPlace("gone");
  const { userId, number, id } = await place.submit();
  const other = await place.submit();
  await deleteNamespace(place);
  const ref = { userId, number };
  const { build } = await suite.as(place.user, () => suite.builds.getBuild({ ref, brief: true }));
  expect(build).toMatchObject({ id, namespaceId: undefined });
  const refOfOther = { userId, number: other.number };
  await suite.as(place.user, () => suite.builds.killBuild({ ref: refOfOther }));
  expect(await stored(other.id)).toMatchObject({ status: "killed", ownerId: userId });
  const byAnother = suite.as(suite.users.eve, () => suite.builds.getBuild({ ref, brief: true }));
  await expect(byAnother).rejects.toMatchObject({ code: "not_found" });
});

it("a build stays in its namespace when its submitter, who has lost access to that namespace, asks for it", async () => {
  const place = await aPlace("kept");
  const { bob } = suite.users;
  const request = { namespaceId: place.namespace.id, handle: bob.username };
  const { invite } = await suite.as(place.user, () => suite.accounts.namespaces.sendInvite(request));
  await suite.as(bob, () => suite.accounts.namespaces.acceptInvite({ id: invite!.id }));
  const build = await suite.submit(bob, `namespace: kept@${place.user.username}${manifest}`);
  await suite.as(bob, () => suite.accounts.namespaces.leaveNamespace({ namespaceId: place.namespace.id }));
  const ref = { userId: bob.id, number: build.number };
  const seeing = suite.as(bob, () => suite.builds.getBuild({ ref, brief: true }));
  await expect(seeing).rejects.toMatchObject({ code: "not_found" });
  expect(await stored(build.id)).toMatchObject({ namespaceId: place.namespace.id });
});

it("thousands of builds leave their deleted namespace, and one that runs meanwhile goes on", async () => {
  const place = await aPlace("large");
  const { id } = await place.submit();
  let assignment = (await suite.claim())!;
  while (assignment.buildId !== id) assignment = (await suite.claim())!;
  const doc = (await stored(id))!;
  const copies = Array.from({ length: 1_200 }, (_, n) => ({
    ...doc,
    ...{ _id: 900_000 + n, number: 900_000 + n, status: "passed" as const, outbox: [], lease: undefined },
    ...{ namespaceId: place.namespace.id, rootId: place.namespace.id, userId: place.user.id },
  }));
  await builds().insertMany(copies, { ignoreUndefined: true });
  await deleteNamespace(place);
  await withAnother(() =>
    eventually(async () => expect(await builds().countDocuments({ namespaceId: place.namespace.id })).toBe(0)),
  );
  const released = { _id: { $gte: 900_000 }, ownerId: place.user.id, rev: doc.rev + 1, rootId: { $exists: false } };
  expect(await builds().countDocuments(released)).toBe(1_200);
  // This process still has the running build as it was before.
  await suite.finish(assignment, 0, "passed", "done\n");
  expect(await stored(id)).toMatchObject({ outputBytes: 5, ownerId: place.user.id });
  expect(await stored(id)).not.toHaveProperty("namespaceId");
});

it("a namespaces service of an older version, which lists no deletions, is asked again later", async () => {
  const { resolve } = AccountServiceDefinition.methods;
  const older = await serveRpc({ listen: "127.0.0.1:0", log: createLog("namespaces", "silent") }, (server) => {
    server.add({ ...AccountServiceDefinition, methods: { resolve } }, { resolve: async () => ({}) });
  });
  await using peer = connect(`127.0.0.1:${older.port}`);
  const pass = followingDeletions(
    peer.client(AccountServiceDefinition),
    () => Promise.reject(new Error("It learned something")),
    () => undefined,
  );
  expect(await pass()).toBe(0);
  expect(await pass()).toBe(0);
  await older[Symbol.asyncDispose]();
});
