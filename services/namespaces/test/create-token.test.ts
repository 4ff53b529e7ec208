import { type Caller, runAs } from "@ci/kit/rpc/caller";
import type { CreateTokenRequest, User } from "@ci/proto/namespaces/v1/accounts";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
const hourMs = 3_600_000;

type Fields = Partial<CreateTokenRequest>;
const create = (caller: Caller, fields: Fields = {}) =>
  runAs(caller, () => ci.accounts.createToken({ name: `n${Math.random()}`, scope: "build:read", ...fields }));
const createFor = async (user: User, fields: Fields) =>
  create(await ci.anAdmin(), { username: user.username, ...fields });

/** Creates a user and returns them as the caller with a token of this scope. */
async function aHolder(scope: string, expiresAt?: Date): Promise<Caller> {
  const user = await ci.aUser();
  const { token } = await createFor(user, { scope, expiresAt });
  return as(user.id, token);
}

describe("succeeds", () => {
  test("returns the caller's new token with its secret", async () => {
    const holder = await aHolder("build:read,write image:read");
    const { token, secret } = await create(holder, { name: "laptop", scope: "image:read build:write,read" });
    expect(token).toEqual({
      id: expect.any(Number),
      userId: holder.userId,
      name: "laptop",
      scope: "build:read,write image:read",
      createdAt: expect.any(Date),
      expiresAt: undefined,
      lastUsedAt: undefined,
    });
    expect(secret).toMatch(/^ci_[A-Za-z0-9_-]{43}$/);
    expect((await ci.accounts.authenticate({ secret })).token).toEqual(token);
  });

  test("creates a token for another user, ignoring the case of the username", async () => {
    const user = await ci.aUser();
    const { token } = await createFor(user, { username: user.username.toUpperCase() });
    expect(token).toMatchObject({ userId: user.id });
  });

  test("uses the requested expiry, otherwise the creating token's", async () => {
    const expiresAt = new Date(Date.now() + hourMs);
    const earlier = new Date(Date.now() + hourMs / 2);
    const holder = await aHolder("build:read", expiresAt);
    expect((await create(holder, {})).token!.expiresAt).toEqual(expiresAt);
    expect((await create(holder, { expiresAt: earlier })).token!.expiresAt).toEqual(earlier);
    expect((await create(holder, { expiresAt })).token!.expiresAt).toEqual(expiresAt);
  });

  test("accepts the same name for another user, and again once it is free", async () => {
    const [ann, bob] = [await ci.aUser(), await ci.aUser()];
    const { token } = await createFor(ann, { name: "same" });
    await createFor(bob, { name: "same" });
    await runAs(as(ann.id, token), () => ci.accounts.deleteToken({ id: token!.id }));
    expect((await createFor(ann, { name: "same" })).token!.id).not.toBe(token!.id);
  });

  test("an admin may grant user permissions to an admin", async () => {
    const admin = await ci.aUser(undefined, true);
    expect((await createFor(admin, { scope: "user:read" })).token!.scope).toBe("user:read");
  });
});

describe("invalid", () => {
  test("reports every wrong field at once", async () => {
    const holder = await aHolder("build:read");
    const fields = { name: "", scope: "builds:read build:x", expiresAt: new Date(0) };
    await expect(create(holder, fields)).rejects.toMatchObject({
      code: "invalid",
      fields: {
        name: ["Name field required"],
        scope: ["Scope invalid resource builds", "Scope invalid permission x"],
        expires_at: ["Expires_at must be in the future"],
      },
    });
    await expect(create(holder, { scope: "" })).rejects.toMatchObject({ fields: { scope: ["Scope field required"] } });
  });

  test("a deleted token creates none", async () => {
    const holder = await aHolder("build:read", new Date(Date.now() + hourMs));
    await runAs(holder, () => ci.accounts.deleteToken({ id: holder.tokenId! }));
    await expect(create(holder)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("a deleted user creates none", async () => {
    const gone = await ci.aUser();
    await runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username: gone.username }));
    await expect(create(as(gone.id), {})).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("rejects a scope beyond the creating token's", async () => {
    const holder = await aHolder("build:read");
    await expect(create(holder, { scope: "build:read,write image:read" })).rejects.toMatchObject({
      fields: { scope: ["Scope cannot grant build:write", "Scope cannot grant image:read"] },
    });
    await expect(create(as(holder.userId), {})).rejects.toMatchObject({
      fields: { scope: ["Scope cannot grant build:read"] },
    });
  });

  test("rejects user permissions for a user who is not an admin", async () => {
    const user = await ci.aUser();
    await expect(createFor(user, { scope: "user:read build:read" })).rejects.toMatchObject({
      fields: { scope: ["Scope cannot grant user:read"] },
    });
  });

  test("rejects an expiry later than the creating token's own", async () => {
    const expiresAt = new Date(Date.now() + hourMs);
    const holder = await aHolder("build:read", expiresAt);
    await expect(create(holder, { expiresAt: new Date(expiresAt.getTime() + 1) })).rejects.toMatchObject({
      fields: { expires_at: ["Expires_at cannot be later than the expiry of the creating token"] },
    });
  });

  test("rejects a name the user already has; exactly one of 20 concurrent requests gets it", async () => {
    const user = await ci.aUser();
    const requests = Array.from({ length: 20 }, () => createFor(user, { name: "twice" }));
    const results = await Promise.allSettled(requests);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of results.filter((result) => result.status === "rejected"))
      expect(result.reason).toMatchObject({ fields: { name: ["Name already exists"] } });
    await expect(createFor(user, { name: "twice", scope: "x:read" })).rejects.toMatchObject({
      fields: { name: ["Name already exists"], scope: ["Scope invalid resource x"] },
    });
  });
});

describe("not_found", () => {
  test("rejects missing and deleted users", async () => {
    const gone = await ci.aUser();
    await runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username: gone.username }));
    await expect(createFor(gone, {})).rejects.toMatchObject({ code: "not_found" });
    await expect(create(await ci.anAdmin(), { username: "nobody" })).rejects.toMatchObject({ code: "not_found" });
  });
});
