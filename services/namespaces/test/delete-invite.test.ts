import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Invite, Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
let ann: User;
let root: Namespace;

beforeAll(async () => {
  ann = await ci.aUser("ann");
  root = await ci.aNamespace(ann, "team");
});

async function invited(): Promise<{ user: User; invite: Invite }> {
  const user = await ci.aUser();
  const request = { namespaceId: root.id, handle: user.username };
  return { user, invite: (await runAs(as(ann.id), () => ci.namespaces.sendInvite(request))).invite! };
}
const remove = (user: User, { id }: Pick<Invite, "id">) => runAs(as(user.id), () => ci.namespaces.deleteInvite({ id }));
const eventKinds = async ({ id }: Invite) =>
  (await ci.publishedEvents()).flatMap(({ kind, body }) =>
    body?.$case === "invite" && body.value.id === id ? [kind] : [],
  );

describe("succeeds", () => {
  test("lets the invitee reject and the owner withdraw", async () => {
    for (const role of ["invitee", "owner"]) {
      const { user, invite } = await invited();
      await remove(role === "invitee" ? user : ann, invite);
      expect((await runAs(as(user.id), () => ci.namespaces.listInvites({}))).invites).toEqual([]);
      await expect(runAs(as(user.id), () => ci.namespaces.acceptInvite({ id: invite.id }))).rejects.toMatchObject({
        code: "not_found",
      });
    }
  });
});

describe("not_found", () => {
  test("hides the invite from all others, even collaborators", async () => {
    const { invite } = await invited();
    const collaborator = await ci.aUser();
    await ci.addCollaborator(collaborator, ann, root.id);
    await expect(remove(collaborator, invite)).rejects.toMatchObject({ code: "not_found" });
    await expect(remove(await ci.aUser(), invite)).rejects.toMatchObject({ code: "not_found" });
    await remove(ann, invite);
  });

  test("rejects accepted, rejected and missing invites", async () => {
    const { user, invite } = await invited();
    await runAs(as(user.id), () => ci.namespaces.acceptInvite({ id: invite.id }));
    await expect(remove(user, invite)).rejects.toMatchObject({ code: "not_found" });
    const { user: other, invite: rejected } = await invited();
    await remove(other, rejected);
    await expect(remove(other, rejected)).rejects.toMatchObject({ code: "not_found" });
    await expect(remove(ann, { id: 999_999 })).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("events", () => {
  test("publishes an event when an invite is rejected, and none when it is withdrawn", async () => {
    const { user, invite: rejected } = await invited();
    await remove(user, rejected);
    expect(await eventKinds(rejected)).toEqual(["invite.sent", "invite.rejected"]);
    const { invite: withdrawn } = await invited();
    await remove(ann, withdrawn);
    expect(await eventKinds(withdrawn)).toEqual(["invite.sent"]);
  });
});
