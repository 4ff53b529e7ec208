import { type Caller, runAs } from "@ci/kit/rpc/caller";
import type { Token, User } from "@ci/proto/namespaces/v1/accounts";
import { MongoNetworkError } from "mongodb";
import { sessionStore } from "../src/store/sessions.js";
import { as, bootNamespaces, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();

async function aToken(user: User, scope: string): Promise<Token> {
  const request = { username: user.username, name: `n${Math.random()}`, scope };
  return (await runAs(await ci.anAdmin(), () => ci.accounts.createToken(request))).token!;
}
const remove = (caller: Caller, { id }: Pick<Token, "id">) => runAs(caller, () => ci.accounts.deleteToken({ id }));
const tokenIds = async (user: User) =>
  (await runAs(as(user.id), () => ci.accounts.listTokens({}))).tokens.map(({ id }) => id);

describe("succeeds", () => {
  test("a token may delete itself and tokens within its scope", async () => {
    const user = await ci.aUser();
    const strong = await aToken(user, "build:read,write");
    const weak = await aToken(user, "build:read");
    const equal = await aToken(user, "build:read,write");
    await remove(as(user.id, strong), weak);
    await remove(as(user.id, strong), equal);
    expect(await tokenIds(user)).toEqual([strong.id]);
    await remove(as(user.id, strong), strong);
    expect(await tokenIds(user)).toEqual([]);
  });

  test("an admin's token with user:delete may delete any token", async () => {
    const user = await ci.aUser();
    const token = await aToken(user, "build:read,write");
    const admin = await ci.aUser(undefined, true);
    await remove(as(admin.id, await aToken(admin, "user:delete")), token);
    expect(await tokenIds(user)).toEqual([]);
  });
});

test("a deletion whose last write fails leaves no sessions and links", async () => {
  const user = await ci.aUser();
  const request = { username: user.username, name: "laptop", scope: "build:read" };
  const { token, secret } = await runAs(await ci.anAdmin(), () => ci.accounts.createToken(request));
  await ci.accounts.createSession({ by: { $case: "token", value: secret }, userAgent: "", address: "" });
  await runAs(as(user.id, token), () => ci.accounts.createSignInLink({}));
  const real = sessionStore(ci.db, () => undefined);
  const forgetToken = async (id: number) => {
    if (await ci.db.collection("tokens").findOne({ _id: id as never, deletedAt: { $exists: true } }))
      throw new MongoNetworkError("connection closed");
    await real.forgetToken(id);
  };
  const failing = await bootNamespaces(ci.suite, {}, { sessions: { ...real, forgetToken } });
  const deleting = runAs(as(user.id, token), () => failing.accounts.deleteToken({ id: token!.id }));
  await expect(deleting).rejects.toMatchObject({ code: "unavailable" });
  await failing.close();
  expect(await tokenIds(user)).toEqual([]);
  for (const name of ["sessions", "links"])
    expect(await ci.db.collection(name).countDocuments({ tokenId: token!.id })).toBe(0);
});

describe("forbidden", () => {
  test("names the missing permission if the deleted token grants more", async () => {
    const user = await ci.aUser();
    const weak = await aToken(user, "build:read");
    const strong = await aToken(user, "build:read,write image:read");
    await expect(remove(as(user.id, weak), strong)).rejects.toMatchObject({
      code: "forbidden",
      message: "Token lacks permission build:write",
    });
    expect(await tokenIds(user)).toEqual([weak.id, strong.id]);
  });
});

describe("not_found", () => {
  test("rejects tokens of other users, missing and deleted tokens", async () => {
    const [ann, bob] = [await ci.aUser(), await ci.aUser()];
    const admin = await ci.aUser(undefined, true);
    const [anns, bobs] = [await aToken(ann, "build:read"), await aToken(bob, "build:read")];
    const notFound = { code: "not_found" };
    await expect(remove(as(ann.id, anns), bobs)).rejects.toMatchObject(notFound);
    const withoutDelete = await aToken(admin, "build:read user:read,write");
    await expect(remove(as(admin.id, withoutDelete), bobs)).rejects.toMatchObject(notFound);
    await expect(remove(as(ann.id, anns), { id: 999_999 })).rejects.toMatchObject(notFound);
    await remove(as(ann.id, anns), anns);
    await expect(remove(as(ann.id, anns), anns)).rejects.toMatchObject(notFound);
    expect(await tokenIds(bob)).toEqual([bobs.id]);
  });
});

describe("events", () => {
  test("publishes one event for services that cache tokens", async () => {
    const user = await ci.aUser();
    const token = await aToken(user, "build:read");
    await remove(as(user.id, token), token);
    const bodies = (await ci.publishedEvents()).filter(({ kind }) => kind === "tokens").map(({ body }) => body);
    expect(bodies).toContainEqual({
      $case: "token",
      value: { action: "deleted", tokenId: token.id, userId: user.id },
    });
  });
});
