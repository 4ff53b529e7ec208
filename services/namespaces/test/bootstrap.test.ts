import { runAs } from "@ci/kit/rpc/caller";
import { suite } from "@ci/testkit/suite";
import type { Config } from "../src/config.js";
import { start } from "../src/service.js";
import { as, type Booted, bootNamespaces, testConfig } from "./_suite.js";

const names = suite();
const secretOf = (letter: string) => letter.repeat(32);

/** Starts the service with these settings and this database, runs `work`, and stops the service. */
async function withSettings<T>(db: string, changes: Partial<Config>, work: (ci: Booted) => Promise<T>): Promise<T> {
  const ci = await bootNamespaces(names, { mongoDb: `${names.mongoDb}_${db}`, ...changes });
  try {
    return await work(ci);
  } finally {
    await ci.close();
  }
}
const authenticates = (secret: string) => (ci: Booted) =>
  ci.accounts.authenticate({ secret }).then(
    ({ user, token }) => ({ username: user!.username, tokenId: token!.id }),
    (error: { code: string }) => error.code,
  );

test("a restart with the same settings keeps the account and the token", async () => {
  const first = await withSettings("same", { adminToken: secretOf("a") }, authenticates(secretOf("a")));
  const second = await withSettings("same", { adminToken: secretOf("a") }, authenticates(secretOf("a")));
  expect(first).toEqual({ username: "admin", tokenId: expect.any(Number) });
  expect(second).toEqual(first);
});

test("a changed token replaces the earlier one, and the account stays", async () => {
  await withSettings("changed", { adminToken: secretOf("a") }, async () => {});
  await withSettings("changed", { adminToken: secretOf("b") }, async (ci) => {
    expect(await authenticates(secretOf("a"))(ci)).toBe("unauthenticated");
    expect(await authenticates(secretOf("b"))(ci)).toMatchObject({ username: "admin" });
    const { users } = await ci.accounts.listUsers({});
    expect(users).toHaveLength(1);
  });
  // The secret of a deleted token may be set again.
  const restored = await withSettings("changed", { adminToken: secretOf("a") }, authenticates(secretOf("a")));
  expect(restored).toMatchObject({ username: "admin" });
});

test("removing the setting deletes only the bootstrap token", async () => {
  const secret = await withSettings("removed", { adminToken: secretOf("a") }, async (ci) => {
    const request = { name: "bootstrap", scope: "build:read" };
    return (await runAs(await ci.anAdmin(), () => ci.accounts.createToken(request))).secret;
  });
  await withSettings("removed", { adminToken: undefined }, async (ci) => {
    expect(await authenticates(secretOf("a"))(ci)).toBe("unauthenticated");
    expect(await authenticates(secret)(ci)).toMatchObject({ username: "admin" });
  });
  // A user's own token may also be named bootstrap.
  const restored = await withSettings("removed", { adminToken: secretOf("a") }, authenticates(secretOf("a")));
  expect(restored).toMatchObject({ username: "admin" });
});

test("another username creates another account and moves the token to it", async () => {
  await withSettings("renamed", { adminToken: secretOf("a") }, async () => {});
  const settings = { adminToken: secretOf("a"), adminUsername: "root", adminEmail: "root@localhost" };
  await withSettings("renamed", settings, async (ci) => {
    expect(await authenticates(secretOf("a"))(ci)).toMatchObject({ username: "root" });
    const { users } = await ci.accounts.listUsers({});
    expect(users.map(({ username, admin }) => ({ username, admin }))).toEqual([
      { username: "admin", admin: true },
      { username: "root", admin: true },
    ]);
  });
});

test("an existing account becomes admin", async () => {
  await withSettings("promoted", { adminToken: secretOf("a") }, (ci) => ci.aUser("carol"));
  await withSettings("promoted", { adminToken: secretOf("b"), adminUsername: "Carol" }, async (ci) => {
    const { user } = await ci.accounts.authenticate({ secret: secretOf("b") });
    expect(user).toMatchObject({ username: "carol", email: "carol@example.com", admin: true });
  });
});

test("a deleted account or a taken e-mail address gets no token, but the service starts", async () => {
  await withSettings("deleted", { adminToken: secretOf("a") }, async (ci) => {
    const other = await ci.aUser("other", true);
    await runAs(as(other.id), () => ci.accounts.deleteUser({ username: "admin" }));
  });
  const deleted = await withSettings("deleted", { adminToken: secretOf("a") }, authenticates(secretOf("a")));
  expect(deleted).toBe("unauthenticated");
  const settings = { adminToken: secretOf("a"), adminUsername: "new", adminEmail: "other@example.com" };
  expect(await withSettings("deleted", settings, authenticates(secretOf("a")))).toBe("unauthenticated");
});

test("the secret of another token replaces nothing, but the service starts", async () => {
  const { secret, id } = await withSettings("equal", { adminToken: secretOf("a") }, async (ci) => {
    const request = { name: "meanwhile", scope: "build:read" };
    const { secret, token } = await runAs(await ci.anAdmin(), () => ci.accounts.createToken(request));
    return { secret, id: token!.id };
  });
  await withSettings("equal", { adminToken: secret }, async (ci) => {
    expect(await authenticates(secretOf("a"))(ci)).toMatchObject({ username: "admin" });
    expect(await authenticates(secret)(ci)).toEqual({ username: "admin", tokenId: id });
    await runAs(await ci.anAdmin(), () => ci.accounts.deleteToken({ id }));
  });
  await withSettings("equal", { adminToken: secret }, async (ci) => {
    expect(await authenticates(secretOf("a"))(ci)).toBe("unauthenticated");
    expect(await authenticates(secret)(ci)).toMatchObject({ username: "admin" });
  });
});

test("eight concurrent starts create one account and one token", async () => {
  const config = testConfig(names, { mongoDb: `${names.mongoDb}_race`, adminToken: secretOf("a") });
  const services = await Promise.all(Array.from({ length: 8 }, () => start(config)));
  for (const service of services) await service[Symbol.asyncDispose]();
  await withSettings("race", { adminToken: secretOf("a") }, async (ci) => {
    expect((await ci.accounts.listUsers({})).users).toHaveLength(1);
    expect((await runAs(await ci.anAdmin(), () => ci.accounts.listTokens({}))).tokens).toHaveLength(1);
  });
});
