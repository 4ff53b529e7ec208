import { runAs } from "@ci/kit/rpc/caller";
import { aWord } from "@ci/testkit/builders";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite({ sessionsPerUser: 3 });
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Creates a user with a token. */
async function aToken({ expiresAt, scope = "build:read" }: { expiresAt?: Date; scope?: string } = {}) {
  const user = await ci.aUser();
  const request = { username: user.username, name: "laptop", scope, expiresAt };
  const { token, secret } = await runAs(await ci.anAdmin(), () => ci.accounts.createToken(request));
  return { user, token: token!, secret, caller: as(user.id, token) };
}
type Holder = Awaited<ReturnType<typeof aToken>>;

/** Creates another token of a token's user. */
async function anotherOf({ user }: Holder, scope = "build:read"): Promise<Holder> {
  const request = { username: user.username, name: aWord(), scope };
  const { token, secret } = await runAs(await ci.anAdmin(), () => ci.accounts.createToken(request));
  return { user, token: token!, secret, caller: as(user.id, token) };
}

const from = { userAgent: "Firefox", address: "203.0.113.9" };
const signIn = ({ secret }: Pick<Holder, "secret">, userAgent = from.userAgent) =>
  ci.accounts.createSession({ by: { $case: "token", value: secret }, ...from, userAgent });
const redeem = (link: string) => ci.accounts.createSession({ by: { $case: "link", value: link }, ...from });
const aLink = ({ caller }: Holder) => runAs(caller, () => ci.accounts.createSignInLink({}));
const authenticate = (secret: string) => ci.accounts.authenticate({ secret, ofSession: true });
const sessionsOf = async ({ caller }: Holder) =>
  (await runAs(caller, () => ci.accounts.listSessions({}))).sessions.map(({ id }) => id);
const now = () => Date.now() + ci.clock.offsetMs;
const unauthenticated = { code: "unauthenticated" };

describe("a session", () => {
  test("acts for the token that opened it", async () => {
    const holder = await aToken();
    const { session, secret, validForMs, user, token } = await signIn(holder);
    expect(session).toEqual({
      id: expect.any(Number),
      userId: holder.user.id,
      tokenId: holder.token.id,
      createdAt: expect.any(Date),
      expiresAt: new Date(session!.createdAt!.getTime() + 30 * dayMs),
      lastUsedAt: undefined,
      ...from,
    });
    expect([validForMs, user!.id, token!.id]).toEqual([30 * dayMs, holder.user.id, holder.token.id]);
    expect(await authenticate(secret)).toMatchObject({
      user: holder.user,
      token: { id: holder.token.id, scope: "build:read" },
      sessionId: session!.id,
    });
  });

  test("is no token, and a token is no session", async () => {
    const holder = await aToken();
    const { secret } = await signIn(holder);
    await expect(ci.accounts.authenticate({ secret })).rejects.toMatchObject(unauthenticated);
    await expect(authenticate(holder.secret)).rejects.toMatchObject(unauthenticated);
    await expect(signIn({ secret })).rejects.toMatchObject(unauthenticated);
  });

  test("is stored without its secret, and with at most 200 characters of the browser's name", async () => {
    const { session, secret } = await signIn(await aToken(), "x".repeat(300));
    expect(session!.userAgent).toHaveLength(200);
    const stored = await ci.db.collection("sessions").findOne({ _id: session!.id as never });
    expect(stored).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  test("records its last use at most once a minute", async () => {
    const holder = await aToken();
    const { secret } = await signIn(holder);
    const lastUsed = async () =>
      (await runAs(holder.caller, () => ci.accounts.listSessions({}))).sessions[0]!.lastUsedAt!;
    await authenticate(secret);
    const first = await lastUsed();
    ci.clock.offsetMs += minuteMs / 2;
    await authenticate(secret);
    expect(await lastUsed()).toEqual(first);
    ci.clock.offsetMs += minuteMs;
    await authenticate(secret);
    expect((await lastUsed()).getTime()).toBeGreaterThanOrEqual(first.getTime() + minuteMs);
  });

  test("expires with its token, if that comes first", async () => {
    const expiresAt = new Date(now() + minuteMs);
    const holder = await aToken({ expiresAt });
    const { session, secret } = await signIn(holder);
    expect(session!.expiresAt).toEqual(expiresAt);
    await authenticate(secret);
    ci.clock.offsetMs += minuteMs;
    await expect(authenticate(secret)).rejects.toMatchObject(unauthenticated);
    expect(await sessionsOf(holder)).toEqual([]);
  });

  test("ends when its token is deleted", async () => {
    const holder = await aToken();
    const { secret } = await signIn(holder);
    await runAs(holder.caller, () => ci.accounts.deleteToken({ id: holder.token.id }));
    await expect(authenticate(secret)).rejects.toMatchObject(unauthenticated);
    expect(await sessionsOf(holder)).toEqual([]);
  });

  test("ends the oldest one of a user who has too many", async () => {
    const holder = await aToken();
    const opened = [];
    for (let n = 0; n < 5; n++) opened.push(await signIn(holder));
    expect(await sessionsOf(holder)).toEqual(
      opened
        .slice(2)
        .reverse()
        .map(({ session }) => session!.id),
    );
    await expect(authenticate(opened[1]!.secret)).rejects.toMatchObject(unauthenticated);
  });

  describe("beyond the limit of its user", () => {
    const tooMany = { code: "invalid", fields: { sessions: ["Sessions cannot exceed 3 per user; end one first"] } };

    test("is refused if its token may end none of the others", async () => {
      const holder = await aToken({ scope: "build:read,write" });
      const opened = [await signIn(holder), await signIn(holder), await signIn(holder)];
      await expect(signIn(await anotherOf(holder))).rejects.toMatchObject(tooMany);
      for (const { secret } of opened) await authenticate(secret);
      expect(await sessionsOf(holder)).toHaveLength(3);
    });

    test("ends the oldest one of its own token, even if others are older", async () => {
      const holder = await aToken();
      const narrow = await anotherOf(holder);
      const [other, own, last] = [await signIn(holder), await signIn(narrow), await signIn(narrow)];
      const { session } = await signIn(narrow);
      const left = [session, last.session, other.session].map((one) => one!.id);
      expect(await sessionsOf(holder)).toEqual(left);
      await expect(authenticate(own.secret)).rejects.toMatchObject(unauthenticated);
    });

    test("ends the oldest one with no further permission, if its token has none", async () => {
      const holder = await aToken({ scope: "build:read,write" });
      const narrow = await anotherOf(holder);
      const [wide, older, newer] = [await signIn(holder), await signIn(narrow), await signIn(narrow)];
      const { session } = await signIn(await anotherOf(holder, "build:read image:read"));
      const left = [session, newer.session, wide.session].map((one) => one!.id);
      expect(await sessionsOf(holder)).toEqual(left);
      await expect(authenticate(older.secret)).rejects.toMatchObject(unauthenticated);
    });

    test("leaves as many as allowed if it comes with others", async () => {
      const holder = await aToken();
      for (let n = 0; n < 3; n++) await signIn(holder);
      await Promise.all(Array.from({ length: 5 }, () => signIn(holder)));
      expect(await sessionsOf(holder)).toHaveLength(3);
    });

    test("is not counted together with expired ones", async () => {
      const holder = await aToken({ scope: "build:read,write", expiresAt: new Date(now() + minuteMs) });
      for (let n = 0; n < 3; n++) await signIn(holder);
      ci.clock.offsetMs += minuteMs;
      await signIn(await anotherOf(holder));
    });
  });

  test("is not among the user's tokens", async () => {
    const holder = await aToken();
    await signIn(holder);
    const { tokens } = await runAs(holder.caller, () => ci.accounts.listTokens({}));
    expect(tokens.map(({ id }) => id)).toEqual([holder.token.id]);
  });
});

describe("ending a session", () => {
  test("ends it at once, and tells the gateways", async () => {
    const holder = await aToken();
    const { session, secret } = await signIn(holder);
    await runAs(holder.caller, () => ci.accounts.deleteSession({ id: session!.id }));
    await expect(authenticate(secret)).rejects.toMatchObject(unauthenticated);
    expect(await sessionsOf(holder)).toEqual([]);
    const events = await ci.publishedEvents();
    expect(events.filter(({ actorId }) => actorId === holder.user.id).map(({ body }) => body)).toContainEqual({
      $case: "token",
      value: { action: "updated", tokenId: holder.token.id, userId: holder.user.id },
    });
  });

  test("is refused for a session of another user", async () => {
    const [ann, bob] = [await aToken(), await aToken()];
    const { session, secret } = await signIn(ann);
    const end = runAs(bob.caller, () => ci.accounts.deleteSession({ id: session!.id }));
    await expect(end).rejects.toMatchObject({ code: "not_found" });
    await authenticate(secret);
  });

  test("is refused to a token that may do less than the session", async () => {
    const holder = await aToken({ scope: "build:read,write" });
    const { session } = await signIn(holder);
    const narrow = await runAs(holder.caller, () => ci.accounts.createToken({ name: "n", scope: "build:read" }));
    const end = runAs(as(holder.user.id, narrow.token), () => ci.accounts.deleteSession({ id: session!.id }));
    await expect(end).rejects.toMatchObject({ code: "forbidden", message: "Token lacks permission build:write" });
  });
});

describe("a sign-in link", () => {
  test("ends with the session that made it", async () => {
    const holder = await aToken();
    const { session } = await signIn(holder);
    const bySession = () => runAs(holder.caller, () => ci.accounts.createSignInLink({ sessionId: session!.id }));
    const [first, second] = [await bySession(), await bySession()];
    expect((await redeem(first.secret)).token).toMatchObject({ id: holder.token.id });
    await runAs(holder.caller, () => ci.accounts.deleteSession({ id: session!.id }));
    await expect(redeem(second.secret)).rejects.toMatchObject(unauthenticated);
  });

  test("opens exactly one session, whatever many browsers try at once", async () => {
    const holder = await aToken();
    const { secret, expiresAt } = await aLink(holder);
    expect(expiresAt!.getTime()).toBeLessThanOrEqual(now() + 10 * minuteMs);
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => redeem(secret)));
    const opened = tries.flatMap((one) => (one.status === "fulfilled" ? [one.value.session!] : []));
    expect(opened).toEqual([expect.objectContaining({ userId: holder.user.id, tokenId: holder.token.id })]);
    for (const one of tries) if (one.status === "rejected") expect(one.reason).toMatchObject(unauthenticated);
  });

  test("is good for ten minutes", async () => {
    const { secret } = await aLink(await aToken());
    ci.clock.offsetMs += 10 * minuteMs;
    await expect(redeem(secret)).rejects.toMatchObject(unauthenticated);
  });

  test("ends when its token is deleted", async () => {
    const holder = await aToken();
    const { secret } = await aLink(holder);
    await runAs(holder.caller, () => ci.accounts.deleteToken({ id: holder.token.id }));
    await expect(redeem(secret)).rejects.toMatchObject(unauthenticated);
  });

  test("is stored without its secret, and a token has at most twenty", async () => {
    const holder = await aToken();
    const other = await anotherOf(holder);
    const kept = await aLink(other);
    const first = await aLink(holder);
    for (let n = 0; n < 20; n++) {
      ci.clock.offsetMs += 1_000;
      await aLink(holder);
    }
    await expect(redeem(first.secret)).rejects.toMatchObject(unauthenticated);
    const stored = await ci.db.collection("links").find({ userId: holder.user.id }).toArray();
    expect(stored).toHaveLength(21);
    expect(JSON.stringify(stored)).not.toContain("ci_");
    expect((await redeem(kept.secret)).token).toEqual(other.token);
  });
});
