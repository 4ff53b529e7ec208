import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { VariableServiceDefinition } from "@ci/proto/namespaces/v1/resources";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
let ann: User;
let bob: User;

beforeAll(async () => {
  ann = await ci.aUser("ann");
  bob = await ci.aUser("bob");
});

const remove = (user: User, { id }: Pick<Namespace, "id">) =>
  runAs(as(user.id), () => ci.namespaces.deleteNamespace({ id }));
const paths = async (user: User) =>
  (await runAs(as(user.id), () => ci.namespaces.listNamespaces({}))).namespaces.map(({ path }) => path);
const deletions = async (rootId: number) =>
  (await ci.publishedEvents()).flatMap(({ namespaceId, actorId, body }) =>
    body?.$case === "namespace" && body.value.action === "deleted" && body.value.namespace?.rootId === rootId
      ? [{ namespaceId, actorId, namespace: body.value.namespace }]
      : [],
  );

describe("succeeds", () => {
  test("deletes the whole subtree and nothing else, and frees the names", async () => {
    for (const path of ["team", "team/web", "team/web/api", "team/webb"]) await ci.aNamespace(ann, path);
    const web = (await runAs(as(ann.id), () => ci.namespaces.getNamespace({ username: "ann", path: "team/web" })))
      .namespace!;
    await remove(ann, web);
    expect(await paths(ann)).toEqual(["team", "team/webb"]);
    for (let round = 0; round < 3; round++) {
      const again = await ci.aNamespace(ann, "team/web");
      await ci.aNamespace(ann, "team/web/api");
      await remove(ann, again);
    }
    expect(await paths(ann)).toEqual(["team", "team/webb"]);
  });

  test("deleting a root ends collaborations and invites", async () => {
    const root = await ci.aNamespace(bob, "club");
    await ci.addCollaborator(ann, bob, root.id);
    const carl = await ci.aUser("carl");
    const invite = (await runAs(as(bob.id), () => ci.namespaces.sendInvite({ namespaceId: root.id, handle: "carl" })))
      .invite!;
    await remove(bob, root);
    expect((await ci.accounts.listMemberships({ userId: ann.id })).rootIds).not.toContain(root.id);
    expect((await runAs(as(carl.id), () => ci.namespaces.listInvites({}))).invites).toEqual([]);
    await expect(runAs(as(carl.id), () => ci.namespaces.acceptInvite({ id: invite.id }))).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("deleting a child ends only the invites that name it", async () => {
    const root = await ci.aNamespace(bob, "firm");
    const child = await ci.aNamespace(bob, "firm/lab");
    await ci.addCollaborator(ann, bob, child.id);
    const dora = await ci.aUser("dora");
    await runAs(as(bob.id), () => ci.namespaces.sendInvite({ namespaceId: child.id, handle: "dora" }));
    await remove(bob, child);
    expect((await ci.accounts.listMemberships({ userId: ann.id })).rootIds).toContain(root.id);
    expect((await runAs(as(dora.id), () => ci.namespaces.listInvites({}))).invites).toEqual([]);
  });

  test("moves variables to their user, renamed where the key is taken", async () => {
    const emil = await ci.aUser("emil");
    const variables = ci.peer.client(VariableServiceDefinition);
    const set = (namespace: string) =>
      runAs(as(emil.id), () => variables.createVariable({ namespace, key: "TOKEN", value: "value", mask: false }));
    const kept = (await set("")).variable!;
    const freed = (await set("lab/deep")).variable!;
    await remove(emil, { id: (await ci.namespaces.enterNamespace({ name: "lab", userId: emil.id })).namespace!.id });
    const { variables: left } = await runAs(as(emil.id), () => variables.listVariables({}));
    expect(left.map(({ id, key, namespaceId }) => ({ id, key, namespaceId }))).toEqual([
      { id: kept.id, key: "TOKEN", namespaceId: undefined },
      { id: freed.id, key: `TOKEN_${freed.id}`, namespaceId: undefined },
    ]);
  });
});

describe("not_found", () => {
  test("rejects all but the owner, and a second deletion", async () => {
    const root = await ci.aNamespace(ann, "owned", "public");
    await ci.addCollaborator(bob, ann, root.id);
    await expect(remove(bob, root)).rejects.toMatchObject({ code: "not_found" });
    await expect(remove(await ci.aUser(), root)).rejects.toMatchObject({ code: "not_found" });
    await remove(ann, root);
    await expect(remove(ann, root)).rejects.toMatchObject({ code: "not_found" });
  });

  test("exactly one of 10 concurrent deletions succeeds", async () => {
    const root = await ci.aNamespace(ann, "race");
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => remove(ann, root)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await deletions(root.id)).toHaveLength(1);
  });
});

describe("events", () => {
  test("publishes one event per deleted namespace, and one to the parent", async () => {
    const root = await ci.aNamespace(ann, "telling", "internal");
    const web = await ci.aNamespace(ann, "telling/web");
    const api = await ci.aNamespace(ann, "telling/web/api");
    await remove(ann, web);
    const events = await deletions(root.id);
    expect(events.sort((a, b) => b.namespaceId! - a.namespaceId!)).toEqual([
      { namespaceId: api.id, actorId: ann.id, namespace: api },
      { namespaceId: web.id, actorId: ann.id, namespace: web },
      { namespaceId: root.id, actorId: ann.id, namespace: web },
    ]);
    expect(api.visibility).toBe("internal");
  });
});
