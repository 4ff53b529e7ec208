import { type Caller, runAs } from "@ci/kit/rpc/caller";
import type { CreateTokenRequest, User } from "@ci/proto/namespaces/v1/accounts";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
const hourMs = 3_600_000;

type Ask = Partial<CreateTokenRequest>;
const create = (caller: Caller, ask: Ask) =>
  runAs(caller, () => ci.accounts.createToken({ name: `n${Math.random()}`, scope: "build:read", ...ask }));
const createFor = async (user: User, ask: Ask) => create(await ci.anAdmin(), { username: user.username, ...ask });

/** A new user as the caller that a token of this scope makes them. */
async function aHolder(scope: string, expiresAt?: Date): Promise<Caller> {
  const user = await ci.aUser();
  const { token } = await createFor(user, { scope, expiresAt });
  return as(user.id, token);
}

describe("answers", () => {
  test("a token for oneself, and its secret this once", async () => {
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

  test("a token for somebody else, by username in any case", async () => {
    const user = await ci.aUser();
    const { token } = await createFor(user, { username: user.username.toUpperCase() });
    expect(token).toMatchObject({ userId: user.id });
  });

  test("the expiry that is asked for, else that of the creating token", async () => {
    const expiresAt = new Date(Date.now() + hourMs);
    const earlier = new Date(Date.now() + hourMs / 2);
    const holder = await aHolder("build:read", expiresAt);
    expect((await create(holder, {})).token!.expiresAt).toEqual(expiresAt);
    expect((await create(holder, { expiresAt: earlier })).token!.expiresAt).toEqual(earlier);
    expect((await create(holder, { expiresAt })).token!.expiresAt).toEqual(expiresAt);
  });

  test("the same name for another user, and again once it is free", async () => {
    const [ann, bob] = [await ci.aUser(), await ci.aUser()];
    const { token } = await createFor(ann, { name: "same" });
    await createFor(bob, { name: "same" });
    await runAs(as(ann.id, token), () => ci.accounts.deleteToken({ id: token!.id }));
    expect((await createFor(ann, { name: "same" })).token!.id).not.toBe(token!.id);
  });

  test("the care of users from an admin to an admin", async () => {
    const admin = await ci.aUser(undefined, true);
    expect((await createFor(admin, { scope: "user:read" })).token!.scope).toBe("user:read");
  });
});

describe("invalid", () => {
  test("every field at once", async () => {
    const holder = await aHolder("build:read");
    const ask = { name: "", scope: "builds:read build:x", expiresAt: new Date(0) };
    await expect(create(holder, ask)).rejects.toMatchObject({
      code: "invalid",
      fields: {
        name: ["Name field required"],
        scope: ["Scope invalid resource builds", "Scope invalid permission x"],
        expires_at: ["Expires_at must be in the future"],
      },
    });
    await expect(create(holder, { scope: "" })).rejects.toMatchObject({ fields: { scope: ["Scope field required"] } });
  });

  test("more than the creating token may", async () => {
    const holder = await aHolder("build:read");
    await expect(create(holder, { scope: "build:read,write image:read" })).rejects.toMatchObject({
      fields: { scope: ["Scope cannot grant build:write", "Scope cannot grant image:read"] },
    });
    await expect(create(as(holder.userId), {})).rejects.toMatchObject({
      fields: { scope: ["Scope cannot grant build:read"] },
    });
  });

  test("the care of users to somebody who is no admin", async () => {
    const user = await ci.aUser();
    await expect(createFor(user, { scope: "user:read build:read" })).rejects.toMatchObject({
      fields: { scope: ["Scope cannot grant user:read"] },
    });
  });

  test("an expiry after that of the creating token", async () => {
    const expiresAt = new Date(Date.now() + hourMs);
    const holder = await aHolder("build:read", expiresAt);
    await expect(create(holder, { expiresAt: new Date(expiresAt.getTime() + 1) })).rejects.toMatchObject({
      fields: { expires_at: ["Expires_at cannot be later than the expiry of the creating token"] },
    });
  });

  test("a name the user has already; of 20 at once one wins", async () => {
    const user = await ci.aUser();
    const tries = Array.from({ length: 20 }, () => createFor(user, { name: "twice" }));
    const results = await Promise.allSettled(tries);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of results.filter((result) => result.status === "rejected"))
      expect(result.reason).toMatchObject({ fields: { name: ["Name already exists"] } });
    await expect(createFor(user, { name: "twice", scope: "x:read" })).rejects.toMatchObject({
      fields: { name: ["Name already exists"], scope: ["Scope invalid resource x"] },
    });
  });
});

describe("not_found", () => {
  test("for a user who does not exist, or no more", async () => {
    const gone = await ci.aUser();
    await runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username: gone.username }));
    await expect(createFor(gone, {})).rejects.toMatchObject({ code: "not_found" });
    await expect(create(await ci.anAdmin(), { username: "nobody" })).rejects.toMatchObject({ code: "not_found" });
  });
});
