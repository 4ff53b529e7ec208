import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
let ann: User;
let root: Namespace;
let child: Namespace;

beforeAll(async () => {
  ann = await ci.aUser("ann");
  root = await ci.aNamespace(ann, "team", "public");
  child = await ci.aNamespace(ann, "team/web");
});

const send = async (from: User, { id }: Pick<Namespace, "id">, handle: string) =>
  (await runAs(as(from.id), () => ci.namespaces.sendInvite({ namespaceId: id, handle }))).invite!;

describe("succeeds", () => {
  test("invites by username or e-mail, to a root or a child", async () => {
    const [bob, carl] = [await ci.aUser(), await ci.aUser()];
    expect(await send(ann, root, bob.username.toUpperCase())).toEqual({
      id: expect.any(Number),
      namespaceId: root.id,
      inviterId: ann.id,
      inviteeId: bob.id,
      createdAt: expect.any(Date),
    });
    expect(await send(ann, child, carl.email)).toMatchObject({ namespaceId: child.id, inviteeId: carl.id });
  });

  test("allows a new invite after the last was rejected, withdrawn or its collaboration ended", async () => {
    const bob = await ci.aUser();
    const rejected = await send(ann, root, bob.username);
    await runAs(as(bob.id), () => ci.namespaces.deleteInvite({ id: rejected.id }));
    const withdrawn = await send(ann, root, bob.username);
    await runAs(as(ann.id), () => ci.namespaces.deleteInvite({ id: withdrawn.id }));
    await ci.addCollaborator(bob, ann, root.id);
    const removal = { namespaceId: root.id, handle: bob.username };
    await runAs(as(ann.id), () => ci.namespaces.removeCollaborator(removal));
    expect((await send(ann, root, bob.username)).id).toBeGreaterThan(withdrawn.id);
  });
});

describe("invalid", () => {
  const expectRefusal = (handle: string, message: string, to: Pick<Namespace, "id"> = root) =>
    expect(send(ann, to, handle)).rejects.toMatchObject({ code: "invalid", fields: { handle: [message] } });

  test("rejects an empty handle, unknown and deleted users, and oneself", async () => {
    const gone = await ci.aUser();
    await runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username: gone.username }));
    await expectRefusal("", "Username or email field required");
    await expectRefusal("nobody", "No such user");
    await expectRefusal("nobody@example.com", "No such user");
    await expectRefusal(gone.username, "No such user");
    await expectRefusal("ANN", "Cannot invite self");
    await expectRefusal(ann.email, "Cannot invite self");
  });

  test("rejects users already invited to or collaborating on the tree", async () => {
    const bob = await ci.aUser();
    const invite = await send(ann, child, bob.username);
    await expectRefusal(bob.username, "Invite already sent");
    await expectRefusal(bob.email, "Invite already sent", child);
    await runAs(as(bob.id), () => ci.namespaces.acceptInvite({ id: invite.id }));
    await expectRefusal(bob.username, "Already a collaborator");
  });

  test("exactly one of 20 concurrent invites succeeds", async () => {
    const bob = await ci.aUser();
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => send(ann, root, bob.username)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of results.filter((result) => result.status === "rejected"))
      expect(result.reason).toMatchObject({ fields: { handle: ["Invite already sent"] } });
  });
});

describe("not_found", () => {
  test("rejects all but the owner before it checks any field", async () => {
    const [collaborator, outsider] = [await ci.aUser(), await ci.aUser()];
    await ci.addCollaborator(collaborator, ann, root.id);
    await expect(send(collaborator, root, "")).rejects.toMatchObject({ code: "not_found" });
    await expect(send(outsider, child, "")).rejects.toMatchObject({ code: "not_found" });
    await expect(send(ann, { id: 999_999 }, "")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("events", () => {
  test("publishes one event to the invite's namespace", async () => {
    const bob = await ci.aUser();
    const invite = await send(ann, child, bob.username);
    const events = (await ci.publishedEvents()).filter(
      ({ body }) => body?.$case === "invite" && body.value.id === invite.id,
    );
    expect(events).toEqual([
      expect.objectContaining({
        kind: "invite.sent",
        actorId: ann.id,
        namespaceId: child.id,
        body: { $case: "invite", value: invite },
      }),
    ]);
  });
});
