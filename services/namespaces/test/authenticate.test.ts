import { runAs } from "@ci/kit/rpc/caller";
import { adminToken, as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
const minuteMs = 60_000;

/** Creates a user with a token. */
async function aToken(expiresAt?: Date) {
  const user = await ci.aUser();
  const request = { username: user.username, name: "laptop", scope: "build:read", expiresAt };
  const { token, secret } = await runAs(await ci.anAdmin(), () => ci.accounts.createToken(request));
  return { user, token: token!, secret };
}
const lastUsed = async (secret: string) => (await ci.accounts.authenticate({ secret })).token!.lastUsedAt;

describe("succeeds", () => {
  test("returns the user and the token of a secret, without internal fields", async () => {
    const { user, token, secret } = await aToken();
    expect(await ci.accounts.authenticate({ secret })).toEqual({ user, token });
  });

  test("grants the bootstrap token every permission", async () => {
    const { user, token } = await ci.accounts.authenticate({ secret: adminToken });
    expect(user).toMatchObject({ username: "admin", email: "admin@localhost", admin: true });
    expect(token).toMatchObject({ name: "bootstrap", scope: expect.stringContaining("user:read,write,delete") });
  });

  test("records the last use at most once a minute", async () => {
    const { secret } = await aToken();
    expect(await lastUsed(secret)).toBeUndefined();
    const first = await lastUsed(secret);
    expect(first).toBeInstanceOf(Date);
    ci.clock.offsetMs += minuteMs / 2;
    expect(await lastUsed(secret)).toEqual(first);
    ci.clock.offsetMs += minuteMs;
    await lastUsed(secret);
    expect((await lastUsed(secret))!.getTime()).toBeGreaterThanOrEqual(first!.getTime() + minuteMs);
  });
});

describe("unauthenticated", () => {
  const expectRefusal = (secret: string) =>
    expect(ci.accounts.authenticate({ secret })).rejects.toMatchObject({ code: "unauthenticated" });

  test("rejects unknown secrets", async () => {
    const { secret } = await aToken();
    await expectRefusal("");
    await expectRefusal(secret.slice(0, -1));
    await expectRefusal(`${secret} `);
  });

  test("rejects a token from the moment it expires", async () => {
    const expiresAt = new Date(Date.now() + ci.clock.offsetMs + minuteMs);
    const { secret } = await aToken(expiresAt);
    await ci.accounts.authenticate({ secret });
    ci.clock.offsetMs += minuteMs;
    await expectRefusal(secret);
  });

  test("rejects a deleted token", async () => {
    const { user, token, secret } = await aToken();
    await runAs(as(user.id, token), () => ci.accounts.deleteToken({ id: token.id }));
    await expectRefusal(secret);
  });

  test("rejects the token of a deleted user even before the token is deleted", async () => {
    const { user, token, secret } = await aToken();
    await ci.db.collection("users").updateOne({ _id: user.id as never }, { $set: { endedAt: new Date() } });
    await expectRefusal(secret);
    expect(await ci.db.collection("tokens").countDocuments({ _id: token.id as never })).toBe(1);
  });
});

test("stores only the hash of a secret", async () => {
  const { token, secret } = await aToken();
  const stored = await ci.db.collection("tokens").findOne({ _id: token.id as never });
  expect(stored).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(JSON.stringify(stored)).not.toContain(secret);
  expect(JSON.stringify(await ci.publishedEvents())).not.toContain(secret);
});
