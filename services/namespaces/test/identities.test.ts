import { randomBytes } from "node:crypto";
import { runAs } from "@ci/kit/rpc/caller";
import { Claims, type User } from "@ci/proto/namespaces/v1/accounts";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite({ createUsers: true });
const userScopes = /^build:read,write,delete .* webhook:read,write,delete$/;
const from = { userAgent: "Firefox", address: "203.0.113.9" };
const unauthenticated = { code: "unauthenticated" };

/** Returns the claims of a provider about a new person. */
const aPerson = (claims: Partial<Claims> = {}): Claims =>
  Claims.fromPartial({
    issuer: "https://login.example",
    subject: randomBytes(8).toString("hex"),
    username: `person${randomBytes(4).toString("hex")}`,
    ...claims,
  });
const signIn = (claims: Claims) => ci.accounts.createSession({ by: { $case: "claims", value: claims }, ...from });
const authenticate = (secret: string) => ci.accounts.authenticate({ secret, ofSession: true });
const identitiesOf = async ({ id }: User) => (await runAs(as(id), () => ci.accounts.listIdentities({}))).identities;

/** Opens a session by a token. */
async function aHolder({ scope = "", expiresAt }: { scope?: string; expiresAt?: Date } = {}) {
  const user = await ci.aUser();
  const { token: full } = await ci.accounts.createSession({ by: { $case: "claims", value: aPerson() }, ...from });
  const request = { username: user.username, name: "laptop", scope: scope || full!.scope, expiresAt };
  const { secret, token } = await runAs(await ci.anAdmin(), () => ci.accounts.createToken(request));
  const { session } = await ci.accounts.createSession({ by: { $case: "token", value: secret }, ...from });
  return { user, token: token!, sessionId: session!.id };
}
const connect = (claims: Claims, sessionId: number) => ci.accounts.connectIdentity({ claims, sessionId });

describe("the first sign-in with an identity", () => {
  test("creates a user whose session may do all that a user may", async () => {
    const person = aPerson({ email: "Ada@example.org" });
    const { user, token, secret, session } = await signIn(person);
    expect(user).toMatchObject({ username: person.username, email: "Ada@example.org", admin: false });
    expect(token).toMatchObject({ userId: user!.id, scope: expect.stringMatching(userScopes) });
    expect(await authenticate(secret)).toMatchObject({ user: { id: user!.id }, sessionId: session!.id });
    expect(await identitiesOf(user!)).toEqual([
      expect.objectContaining({
        ...{ userId: user!.id, issuer: person.issuer, subject: person.subject, name: person.username },
        lastUsedAt: expect.any(Date),
      }),
    ]);
  });

  test("never gives a name or an address that another user has or had", async () => {
    const [here, gone] = [await ci.aUser(), await ci.aUser()];
    await runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username: gone.username }));
    for (const { id, username, email } of [here, gone]) {
      const { user } = await signIn(aPerson({ username: username.toUpperCase(), email: email.toUpperCase() }));
      expect(user!.id).not.toBe(id);
      expect(user).toMatchObject({
        username: `${username.toUpperCase()}-2`,
        email: `${username.toUpperCase()}-2@oidc.invalid`,
      });
    }
  });

  test("creates one user, however many browsers sign in at once", async () => {
    const person = aPerson();
    const opened = await Promise.all(Array.from({ length: 8 }, () => signIn(person)));
    expect(new Set(opened.map(({ user }) => user!.id)).size).toBe(1);
    expect(new Set(opened.map(({ token }) => token!.id)).size).toBe(1);
    expect(new Set(opened.map(({ session }) => session!.id)).size).toBe(8);
  });

  test("gives people with the same name different users", async () => {
    const username = `twin${randomBytes(4).toString("hex")}`;
    const opened = await Promise.all(Array.from({ length: 5 }, () => signIn(aPerson({ username }))));
    expect(opened.map(({ user }) => user!.username).sort()).toEqual([
      username,
      ...[2, 3, 4, 5].map((number) => `${username}-${number}`),
    ]);
  });

  test("continues with the user after a crash between the two writes", async () => {
    const person = aPerson();
    const { issuer, subject, username } = person;
    const userId = 1_000_000 + Math.floor(Math.random() * 1_000_000);
    const _id = userId as never;
    await ci.db
      .collection("identities")
      .insertOne({ _id, userId, issuer, subject, name: username, createdAt: new Date() });
    expect((await signIn(person)).user).toMatchObject({ id: userId, username });
  });

  test.each([{ subject: "" }, { subject: "s".repeat(256) }, { issuer: "" }])("is refused with %j", async (claims) => {
    await expect(signIn(aPerson(claims))).rejects.toMatchObject({ code: "invalid" });
  });
});

test("a later sign-in is the same user's, whatever the provider calls them now", async () => {
  const person = aPerson();
  const first = await signIn(person);
  const second = await signIn({ ...person, username: "renamed", email: "new@example.org" });
  expect(second.user).toEqual(first.user);
  expect(second.token!.id).toBe(first.token!.id);
  expect(await identitiesOf(first.user!)).toMatchObject([{ name: "renamed" }]);
  const other = await signIn({ ...person, issuer: "https://other.example" });
  expect(other.user!.id).not.toBe(first.user!.id);
});

test("the token of an identity is among its user's tokens, and its sessions end with it", async () => {
  const { user, token, secret } = await signIn(aPerson());
  const { tokens } = await runAs(as(user!.id), () => ci.accounts.listTokens({}));
  expect(tokens).toEqual([expect.objectContaining({ id: token!.id, name: expect.stringMatching(/^OpenID Connect /) })]);
  await runAs(as(user!.id, token!), () => ci.accounts.deleteToken({ id: token!.id }));
  await expect(authenticate(secret)).rejects.toMatchObject(unauthenticated);
});

describe("connecting an identity", () => {
  test("lets its person sign in as the user of the session", async () => {
    const person = aPerson();
    const { user, sessionId } = await aHolder();
    const { identity, user: connected } = await connect(person, sessionId);
    expect([identity!.userId, connected!.id]).toEqual([user.id, user.id]);
    expect((await signIn(person)).user!.id).toBe(user.id);
    expect(await connect(person, sessionId)).toMatchObject({ identity: { id: identity!.id } });
  });

  test("is refused for an identity of another user", async () => {
    const person = aPerson();
    const { user } = await signIn(person);
    const holder = await aHolder();
    await expect(connect(person, holder.sessionId)).rejects.toMatchObject({ code: "precondition" });
    expect((await signIn(person)).user!.id).toBe(user!.id);
    expect(await identitiesOf(holder.user)).toEqual([]);
  });

  test("is refused to a session that has ended", async () => {
    const { user, sessionId } = await aHolder();
    await runAs(await sessionCaller(user), () => ci.accounts.deleteSession({ id: sessionId }));
    await expect(connect(aPerson(), sessionId)).rejects.toMatchObject(unauthenticated);
  });

  test("is refused to a session that may do less, or for a shorter time, than those of the identity", async () => {
    const narrow = await aHolder({ scope: "build:read" });
    await expect(connect(aPerson(), narrow.sessionId)).rejects.toMatchObject({
      ...{ code: "forbidden", message: "Token lacks permission build:write" },
    });
    const brief = await aHolder({ expiresAt: new Date(Date.now() + 3_600_000) });
    await expect(connect(aPerson(), brief.sessionId)).rejects.toMatchObject({
      ...{ code: "forbidden", message: "A token that expires cannot connect an identity" },
    });
  });

  test("is refused beyond twenty", async () => {
    const { sessionId } = await aHolder();
    for (let n = 0; n < 20; n++) await connect(aPerson(), sessionId);
    await expect(connect(aPerson(), sessionId)).rejects.toMatchObject({
      fields: { identities: ["Identities cannot exceed 20"] },
    });
  });
});

/** Returns a caller with the token of a user's first session. */
async function sessionCaller(user: User) {
  const { tokens } = await runAs(as(user.id), () => ci.accounts.listTokens({}));
  return as(user.id, tokens[0]);
}

describe("disconnecting an identity", () => {
  test("ends its sessions and sign-in links, and its person is unknown again", async () => {
    const person = aPerson();
    const { user, token, secret } = await signIn(person);
    const caller = as(user!.id, token!);
    const link = await runAs(caller, () => ci.accounts.createSignInLink({}));
    const [identity] = await identitiesOf(user!);
    await runAs(caller, () => ci.accounts.deleteIdentity({ id: identity!.id }));
    await expect(authenticate(secret)).rejects.toMatchObject(unauthenticated);
    const redeem = ci.accounts.createSession({ by: { $case: "link", value: link.secret }, ...from });
    await expect(redeem).rejects.toMatchObject(unauthenticated);
    expect(await identitiesOf(user!)).toEqual([]);
    expect((await signIn(person)).user!.id).not.toBe(user!.id);
  });

  test("is refused for another user's, and to a token that may do less", async () => {
    const { user } = await signIn(aPerson());
    const [{ id } = { id: 0 }] = await identitiesOf(user!);
    const other = await aHolder();
    const end = (caller: ReturnType<typeof as>) => runAs(caller, () => ci.accounts.deleteIdentity({ id }));
    await expect(end(as(other.user.id, other.token))).rejects.toMatchObject({ code: "not_found" });
    const narrow = { id: 1, scope: "build:read" };
    await expect(end(as(user!.id, narrow))).rejects.toMatchObject({ message: "Token lacks permission build:write" });
    expect(await identitiesOf(user!)).toHaveLength(1);
  });
});

test("deleting a user ends its sessions and deletes its identities", async () => {
  const person = aPerson();
  const { user, secret } = await signIn(person);
  await runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username: user!.username }));
  await expect(authenticate(secret)).rejects.toMatchObject(unauthenticated);
  expect(await ci.db.collection("identities").countDocuments({ userId: user!.id })).toBe(0);
});

test("an identity whose user was deleted meanwhile opens no session", async () => {
  const person = aPerson();
  const { user } = await signIn(person);
  await ci.db.collection("users").updateOne({ _id: user!.id as never }, { $set: { endedAt: new Date() } });
  await expect(signIn(person)).rejects.toMatchObject(unauthenticated);
});
