import { randomBytes } from "node:crypto";
import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import {
  KeyServiceDefinition,
  ObjectServiceDefinition,
  VariableServiceDefinition,
} from "@ci/proto/namespaces/v1/resources";
import { eventually } from "@ci/testkit/eventually";
import { type Gate, gate, idsBehind } from "@ci/testkit/gate";
import { accountQuotas } from "@ci/testkit/quotas";
import { uploadMessages } from "@ci/testkit/uploads";
import type { Context } from "../src/context.js";
import { membershipStore } from "../src/store/memberships.js";
import { privateKey } from "./_resources.js";
import { as, type Booted, bootNamespaces, namespacesSuite } from "./_suite.js";

// One replica stalls between its last check and its write until another replica has completed a deletion.

const ci = namespacesSuite();
const replicas: Booted[] = [];
afterAll(async () => {
  for (const { close } of replicas) await close();
});

interface Place {
  readonly owner: User;
  readonly guest: User;
  readonly root: Namespace;
  readonly child: Namespace;
}

async function aPlace(): Promise<Place> {
  const [owner, guest] = [await ci.aUser(), await ci.aUser()];
  const root = await ci.aNamespace(owner, "late");
  return { owner, guest, root, child: await ci.aNamespace(owner, "late/child") };
}

const deleteRoot = ({ owner, root }: Place) =>
  runAs(as(owner.id), () => ci.namespaces.deleteNamespace({ id: root.id }));
const deleteUser = async ({ username }: User) => {
  await runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username }));
};

/** Stalls a call to a new replica until a deletion is complete. Returns the result of the call. */
async function duringDeletion<T>(
  create: (replica: Booted) => Promise<T>,
  runDeletion: () => Promise<unknown>,
  overrides: (stall: Gate) => Partial<Context> = (stall) => ({ db: idsBehind(stall, ci.db) }),
): Promise<T> {
  const stall = gate();
  const replica = await bootNamespaces(ci.suite, {}, overrides(stall));
  replicas.push(replica);
  const creating = create(replica);
  await Promise.race([stall.reached, creating]);
  await runDeletion();
  // From here on, only the recheck of the stalled replica can find the record.
  const never = { $set: { sweepAt: new Date("2999-01-01") } };
  await ci.db.collection("deletions").updateMany({ sweepAt: { $exists: true } }, never);
  stall.open();
  return creating;
}

const stored = (collection: string, id: number) => ci.db.collection(collection).findOne({ _id: id as never });
const isDeleted = (collection: string, id: number) =>
  eventually(async () => expect(await stored(collection, id)).toBeNull());

describe("when its namespace was deleted meanwhile", () => {
  const movesToUser = async ({ owner }: Place, collection: string, { id }: { id: number }) => {
    await eventually(async () => expect(await stored(collection, id)).not.toHaveProperty("namespaceId"));
    expect(await stored(collection, id)).toMatchObject({ scope: `u${owner.id}` });
  };

  it("a new variable moves to its user", async () => {
    const place = await aPlace();
    const request = { namespace: "late/child", key: "KEY", value: "value", mask: false };
    const create = (replica: Booted) => replica.peer.client(VariableServiceDefinition).createVariable(request);
    const { variable } = await duringDeletion(
      (replica) => runAs(as(place.owner.id), () => create(replica)),
      () => deleteRoot(place),
    );
    await movesToUser(place, "variables", variable!);
  });

  it("a new key moves to its user", async () => {
    const place = await aPlace();
    const request = { namespace: "late", name: "key", privateKey, config: "" };
    const create = (replica: Booted) => replica.peer.client(KeyServiceDefinition).createKey(request);
    const { key } = await duringDeletion(
      (replica) => runAs(as(place.owner.id), () => create(replica)),
      () => deleteRoot(place),
    );
    await movesToUser(place, "keys", key!);
  });

  it("a new object moves to its user", async () => {
    const place = await aPlace();
    const upload = (replica: Booted) =>
      replica.peer
        .client(ObjectServiceDefinition)
        .uploadObject(uploadMessages("object", randomBytes(10), "late/child"));
    const { object } = await duringDeletion(
      (replica) => runAs(as(place.owner.id), () => upload(replica)),
      () => deleteRoot(place),
    );
    await movesToUser(place, "objects", object!);
  });

  it("a new child is deleted, with one event", async () => {
    const place = await aPlace();
    const create = (replica: Booted) => replica.aNamespace(place.owner, "late/child/grandchild");
    const { id } = await duringDeletion(create, () => deleteRoot(place));
    await isDeleted("namespaces", id);
    const isDeletion = ({ body }: { body?: unknown }) =>
      expect.objectContaining({ $case: "namespace" }).asymmetricMatch(body) &&
      (body as { value: { action: string; namespace: Namespace } }).value.action === "deleted" &&
      (body as { value: { action: string; namespace: Namespace } }).value.namespace.id === id;
    expect((await ci.publishedEvents()).filter(isDeletion)).toEqual([expect.objectContaining({ namespaceId: id })]);
  });

  it("a namespace created for a variable is deleted, and the variable moves to its user", async () => {
    const place = await aPlace();
    const request = { namespace: "late/child/one/two", key: "KEY", value: "value", mask: false };
    const create = (replica: Booted) => replica.peer.client(VariableServiceDefinition).createVariable(request);
    const { variable } = await duringDeletion(
      (replica) => runAs(as(place.owner.id), () => create(replica)),
      () => deleteRoot(place),
    );
    await movesToUser(place, "variables", variable!);
    await isDeleted("namespaces", variable!.namespaceId!);
  });

  it("a new invite is withdrawn", async () => {
    const place = await aPlace();
    const request = { namespaceId: place.child.id, handle: place.guest.username };
    const send = (replica: Booted) => runAs(as(place.owner.id), () => replica.namespaces.sendInvite(request));
    const { invite } = await duringDeletion(send, () => deleteRoot(place));
    await isDeleted("memberships", invite!.id);
  });
});

/** Stalls the write that accepts an invite. It reserves no id, so `idsBehind` cannot stall it. */
const stallAcceptance = (stall: Gate): Partial<Context> => {
  const real = membershipStore(ci.db, () => undefined, accountQuotas);
  return { memberships: { ...real, accept: (...request) => stall.pass().then(() => real.accept(...request)) } };
};

describe("when a user was deleted meanwhile", () => {
  it("a new token of the user is refused and deleted", async () => {
    const { guest } = await aPlace();
    const admin = await ci.anAdmin();
    const request = { username: guest.username, name: "late", scope: "build:read" };
    const create = (replica: Booted) => runAs(admin, () => replica.accounts.createToken(request));
    await expect(duringDeletion(create, () => deleteUser(guest))).rejects.toMatchObject({ code: "not_found" });
    await eventually(async () => expect(await ci.db.collection("tokens").countDocuments({ userId: guest.id })).toBe(0));
  });

  it.each(["guest", "owner"] as const)("a new invite is deleted with its %s", async (role) => {
    const place = await aPlace();
    const request = { namespaceId: place.root.id, handle: place.guest.username };
    const send = (replica: Booted) => runAs(as(place.owner.id), () => replica.namespaces.sendInvite(request));
    const { invite } = await duringDeletion(send, () => deleteUser(place[role]));
    await isDeleted("memberships", invite!.id);
  });
});

it.each(["the namespace", "the user"])("accepting an invite while %s is being deleted fails", async (deleted) => {
  const place = await aPlace();
  const request = { namespaceId: place.root.id, handle: place.guest.username };
  const { invite } = await runAs(as(place.owner.id), () => ci.namespaces.sendInvite(request));
  const accept = (replica: Booted) =>
    runAs(as(place.guest.id), () => replica.namespaces.acceptInvite({ id: invite!.id }));
  const runDeletion = () => (deleted === "the user" ? deleteUser(place.guest) : deleteRoot(place));
  await expect(duringDeletion(accept, runDeletion, stallAcceptance)).rejects.toMatchObject({ code: "not_found" });
  await isDeleted("memberships", invite!.id);
});
