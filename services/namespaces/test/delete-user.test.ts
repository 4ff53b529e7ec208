import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
const remove = async (username: string) => runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username }));
const invitesTo = async (user: User) =>
  (await runAs(as(user.id), () => ci.namespaces.listInvites({}))).invites.map(({ namespaceId }) => namespaceId);

describe("succeeds", () => {
  test("deletes the user's tokens", async () => {
    const user = await ci.aUser();
    const request = { username: user.username, name: "laptop", scope: "build:read" };
    const { secret, token } = await runAs(await ci.anAdmin(), () => ci.accounts.createToken(request));
    await remove(user.username.toUpperCase());
    await expect(ci.accounts.authenticate({ secret })).rejects.toMatchObject({ code: "unauthenticated" });
    const deleted = (await ci.publishedEvents()).filter(
      ({ body }) => body?.$case === "token" && body.value.tokenId === token!.id,
    );
    expect(deleted.map(({ body }) => body)).toEqual([
      { $case: "token", value: { action: "created", tokenId: token!.id, userId: user.id } },
      { $case: "token", value: { action: "deleted", tokenId: token!.id, userId: user.id } },
    ]);
  });

  test("removes the user's collaborations and invites, sent and received", async () => {
    const [gone, bob, carl] = [await ci.aUser(), await ci.aUser(), await ci.aUser()];
    const [bobs, carls, own] = [
      await ci.aNamespace(bob, "bobs"),
      await ci.aNamespace(carl, "carls"),
      await ci.aNamespace(gone, "own"),
    ];
    await ci.addCollaborator(gone, bob, bobs.id);
    await ci.addCollaborator(bob, gone, own.id);
    const invite = (from: User, namespaceId: number, to: User) =>
      runAs(as(from.id), () => ci.namespaces.sendInvite({ namespaceId, handle: to.username }));
    await invite(carl, carls.id, gone);
    await invite(gone, own.id, carl);
    await remove(gone.username);
    expect((await ci.accounts.listMemberships({ userId: gone.id })).rootIds).toEqual([]);
    expect(await invitesTo(gone)).toEqual([]);
    expect(await invitesTo(carl)).toEqual([]);
    // The user's trees and their collaborators stay.
    expect((await ci.accounts.listMemberships({ userId: bob.id })).rootIds).toEqual([own.id]);
    await invite(carl, carls.id, bob);
    expect(await invitesTo(bob)).toEqual([carls.id]);
  });

  test("the user is no longer listed but still found", async () => {
    const user = await ci.aUser();
    await remove(user.username);
    const admin = await ci.anAdmin();
    const { users } = await runAs(admin, () => ci.accounts.listUsers({ search: user.username }));
    expect(users).toEqual([]);
    const expected = { ...user, deletedAt: expect.any(Date) };
    expect((await ci.accounts.getUser({ by: { $case: "username", value: user.username } })).user).toEqual(expected);
    expect((await ci.accounts.resolve({ userIds: [user.id] })).users).toEqual([expected]);
  });
});

describe("invalid", () => {
  test("rejects deleting oneself", async () => {
    await expect(remove("Admin")).rejects.toMatchObject({
      code: "invalid",
      fields: { username: ["Username cannot delete yourself"] },
    });
    await ci.anAdmin();
  });
});

describe("not_found", () => {
  test("rejects unknown and deleted users", async () => {
    const user = await ci.aUser();
    await remove(user.username);
    await expect(remove(user.username)).rejects.toMatchObject({ code: "not_found" });
    await expect(remove("nobody")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("events", () => {
  test("publishes one event for the user and one per collaboration", async () => {
    const [gone, bob] = [await ci.aUser(), await ci.aUser()];
    const root = await ci.aNamespace(bob, "bobs");
    await ci.addCollaborator(gone, bob, root.id);
    await remove(gone.username);
    const bodies = (await ci.publishedEvents()).map(({ body }) => body);
    expect(bodies).toContainEqual({
      $case: "user",
      value: { action: "deleted", user: { ...gone, deletedAt: expect.any(Date) } },
    });
    expect(bodies).toContainEqual({
      $case: "collaborator",
      value: { action: "deleted", rootId: root.id, userId: gone.id },
    });
  });
});
