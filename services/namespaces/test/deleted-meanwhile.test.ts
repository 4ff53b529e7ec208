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
import { uploadMessages } from "@ci/testkit/uploads";
import type { Context } from "../src/context.js";
import { membershipStore } from "../src/store/memberships.js";
import { privateKey } from "./_resources.js";
import { as, type Booted, bootNamespaces, namespacesSuite } from "./_suite.js";

// One replica stalls between its last check and its write, until a deletion is done.

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

const deletesRoot = ({ owner, root }: Place) =>
  runAs(as(owner.id), () => ci.namespaces.deleteNamespace({ id: root.id }));
const deletesUser = async ({ username }: User) => {
  await runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username }));
};

/** What a call to a replica that stalls is answered, when something was deleted meanwhile. */
async function late<T>(
  create: (replica: Booted) => Promise<T>,
  deletes: () => Promise<unknown>,
  overrides: (stall: Gate) => Partial<Context> = (stall) => ({ db: idsBehind(stall, ci.db) }),
): Promise<T> {
  const stall = gate();
  const replica = await bootNamespaces(ci.suite, {}, overrides(stall));
  replicas.push(replica);
  const creating = create(replica);
  await Promise.race([stall.reached, creating]);
  await deletes();
  // Only the second look of the replica that has stalled can find it.
  const never = { $set: { sweepAt: new Date("2999-01-01") } };
  await ci.db.collection("deletions").updateMany({ sweepAt: { $exists: true } }, never);
  stall.open();
  return creating;
}

const stored = (collection: string, id: number) => ci.db.collection(collection).findOne({ _id: id as never });
const isGone = (collection: string, id: number) =>
  eventually(async () => expect(await stored(collection, id)).toBeNull());

describe("when its namespace was deleted meanwhile", () => {
  const released = async ({ owner }: Place, collection: string, { id }: { id: number }) => {
    await eventually(async () => expect(await stored(collection, id)).not.toHaveProperty("namespaceId"));
    expect(await stored(collection, id)).toMatchObject({ scope: `u${owner.id}` });
  };

  it("a variable belongs to its user", async () => {
    const place = await aPlace();
    const ask = { namespace: "late/child", key: "KEY", value: "value", mask: false };
    const create = (on: Booted) => on.peer.client(VariableServiceDefinition).createVariable(ask);
    const { variable } = await late(
      (on) => runAs(as(place.owner.id), () => create(on)),
      () => deletesRoot(place),
    );
    await released(place, "variables", variable!);
  });

  it("a key belongs to its user", async () => {
    const place = await aPlace();
    const ask = { namespace: "late", name: "key", privateKey, config: "" };
    const create = (on: Booted) => on.peer.client(KeyServiceDefinition).createKey(ask);
    const { key } = await late(
      (on) => runAs(as(place.owner.id), () => create(on)),
      () => deletesRoot(place),
    );
    await released(place, "keys", key!);
  });

  it("an object belongs to its user", async () => {
    const place = await aPlace();
    const upload = (on: Booted) =>
      on.peer.client(ObjectServiceDefinition).uploadObject(uploadMessages("object", randomBytes(10), "late/child"));
    const { object } = await late(
      (on) => runAs(as(place.owner.id), () => upload(on)),
      () => deletesRoot(place),
    );
    await released(place, "objects", object!);
  });

  it("a child is deleted, with one event", async () => {
    const place = await aPlace();
    const create = (on: Booted) => on.aNamespace(place.owner, "late/child/grandchild");
    const { id } = await late(create, () => deletesRoot(place));
    await isGone("namespaces", id);
    const isDeletion = ({ body }: { body?: unknown }) =>
      expect.objectContaining({ $case: "namespace" }).asymmetricMatch(body) &&
      (body as { value: { action: string; namespace: Namespace } }).value.action === "deleted" &&
      (body as { value: { action: string; namespace: Namespace } }).value.namespace.id === id;
    expect((await ci.told()).filter(isDeletion)).toEqual([expect.objectContaining({ namespaceId: id })]);
  });

  it("so is one that is made on the fly, and what is put into it belongs to its user", async () => {
    const place = await aPlace();
    const ask = { namespace: "late/child/one/two", key: "KEY", value: "value", mask: false };
    const create = (on: Booted) => on.peer.client(VariableServiceDefinition).createVariable(ask);
    const { variable } = await late(
      (on) => runAs(as(place.owner.id), () => create(on)),
      () => deletesRoot(place),
    );
    await released(place, "variables", variable!);
    await isGone("namespaces", variable!.namespaceId!);
  });

  it("an invite is withdrawn", async () => {
    const place = await aPlace();
    const ask = { namespaceId: place.child.id, handle: place.guest.username };
    const send = (on: Booted) => runAs(as(place.owner.id), () => on.namespaces.sendInvite(ask));
    const { invite } = await late(send, () => deletesRoot(place));
    await isGone("memberships", invite!.id);
  });
});

/** An accepted invite reserves no id: the write itself waits. */
const acceptsLate = (stall: Gate): Partial<Context> => {
  const real = membershipStore(ci.db, () => undefined);
  return { memberships: { ...real, accept: (...ask) => stall.pass().then(() => real.accept(...ask)) } };
};

describe("when a user was deleted meanwhile", () => {
  it("their new token is deleted", async () => {
    const { guest } = await aPlace();
    const admin = await ci.anAdmin();
    const ask = { username: guest.username, name: "late", scope: "build:read" };
    const create = (on: Booted) => runAs(admin, () => on.accounts.createToken(ask));
    const { token } = await late(create, () => deletesUser(guest));
    await isGone("tokens", token!.id);
  });

  it.each(["guest", "owner"] as const)("an invite goes with its %s", async (who) => {
    const place = await aPlace();
    const ask = { namespaceId: place.root.id, handle: place.guest.username };
    const send = (on: Booted) => runAs(as(place.owner.id), () => on.namespaces.sendInvite(ask));
    const { invite } = await late(send, () => deletesUser(place[who]));
    await isGone("memberships", invite!.id);
  });
});

it.each(["the namespace", "the user"])(
  "an invite that is accepted while %s is deleted makes nobody a member",
  async (what) => {
    const place = await aPlace();
    const ask = { namespaceId: place.root.id, handle: place.guest.username };
    const { invite } = await runAs(as(place.owner.id), () => ci.namespaces.sendInvite(ask));
    const accept = (on: Booted) => runAs(as(place.guest.id), () => on.namespaces.acceptInvite({ id: invite!.id }));
    const deletes = () => (what === "the user" ? deletesUser(place.guest) : deletesRoot(place));
    await expect(late(accept, deletes, acceptsLate)).rejects.toMatchObject({ code: "not_found" });
    await isGone("memberships", invite!.id);
  },
);
