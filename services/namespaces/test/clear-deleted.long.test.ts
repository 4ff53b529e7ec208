import { runAs } from "@ci/kit/rpc/caller";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { VariableServiceDefinition } from "@ci/proto/namespaces/v1/resources";
import { eventually } from "@ci/testkit/eventually";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();

/** Brings about the state after a crash between the first and the second write of a deletion. */
async function crashAfterFirstWrite(collection: "users" | "namespaces", { id }: { id: number }): Promise<void> {
  const at = new Date();
  await ci.db.collection(collection).updateOne({ _id: id as never }, { $set: { endedAt: at, clearAt: at } });
}
const stored = (collection: string, id: number) => ci.db.collection(collection).findOne({ _id: id as never });

async function aFullTree() {
  const [owner, guest] = [await ci.aUser(), await ci.aUser()];
  const root = await ci.aNamespace(owner, "team", "internal");
  const child = await ci.aNamespace(owner, "team/web");
  await ci.addCollaborator(guest, owner, root.id);
  const variables = ci.peer.client(VariableServiceDefinition);
  const request = { namespace: "team/web", key: "KEY", value: "value", mask: false };
  const { variable } = await runAs(as(owner.id), () => variables.createVariable(request));
  return { owner, guest, root, child, variable: variable! };
}
const isDeleted = async ({ id }: Namespace) => {
  const doc = await stored("namespaces", id);
  return doc === null || doc.endedAt !== undefined;
};
const deletionsOf = async ({ id }: Namespace) =>
  (await ci.publishedEvents()).filter(
    ({ body }) => body?.$case === "namespace" && body.value.action === "deleted" && body.value.namespace?.id === id,
  );

test("completes an interrupted deletion of a namespace and publishes each event once", async () => {
  const { guest, root, child, variable } = await aFullTree();
  await crashAfterFirstWrite("namespaces", root);
  await eventually(async () => {
    expect(await isDeleted(child)).toBe(true);
    expect((await ci.accounts.listMemberships({ userId: guest.id })).rootIds).toEqual([]);
    expect(await stored("variables", variable.id)).not.toHaveProperty("namespaceId");
  });
  const events = await deletionsOf(child);
  expect(events).toEqual([expect.objectContaining({ namespaceId: child.id })]);
  expect(events[0]!.body).toMatchObject({ value: { namespace: { visibility: "internal" } } });
});

test("completes an interrupted deletion of a user", async () => {
  const { owner, guest } = await aFullTree();
  const request = { username: guest.username, name: "laptop", scope: "build:read" };
  const { token } = await runAs(await ci.anAdmin(), () => ci.accounts.createToken(request));
  await crashAfterFirstWrite("users", guest);
  await eventually(async () => {
    expect(await stored("tokens", token!.id)).toBeNull();
    expect((await ci.accounts.listMemberships({ userId: guest.id })).rootIds).toEqual([]);
  });
  expect((await runAs(as(owner.id), () => ci.namespaces.listNamespaces({}))).namespaces).toHaveLength(2);
});

test("deletes what a crashed process created below a deleted namespace", async () => {
  const { owner, root, child } = await aFullTree();
  const before = (await stored("namespaces", child.id))!;
  await runAs(as(owner.id), () => ci.namespaces.deleteNamespace({ id: root.id }));
  await eventually(async () => {
    for (const { id } of [root, child]) expect(await stored("namespaces", id)).toBeNull();
  });
  // A child and an invite that were checked before the deletion and stored after it.
  const late = { ...before, _id: 1_000_000 as never, name: "late", path: "team/late", outbox: [] };
  await ci.db.collection("namespaces").insertOne(late);
  await ci.db.collection("memberships").insertOne({
    _id: 1_000_000 as never,
    ...{ namespaceId: root.id, rootId: root.id, inviterId: owner.id, inviteeId: 1, createdAt: new Date(), outbox: [] },
  });
  const request = { userId: owner.id, action: "view" as const, namespaceIds: [1_000_000] };
  expect((await ci.accounts.allow(request)).namespaceIds).toEqual([]);
  ci.clock.offsetMs += 11_000;
  await eventually(async () => {
    expect(await stored("memberships", 1_000_000)).toBeNull();
    ci.clock.offsetMs += 1_000;
    expect(await stored("namespaces", 1_000_000)).toBeNull();
  });
  expect(await deletionsOf({ id: 1_000_000 } as Namespace)).toHaveLength(1);
});
