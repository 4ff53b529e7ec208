import { Token } from "@ci/proto/namespaces/v1/accounts";
import { cachedSessions } from "../src/auth/sessions.js";

/** Sessions over an accounts service whose token is valid for this long, and the lookups that it has seen. */
function sessionsOf(validForMs: number | undefined) {
  const lookups: string[] = [];
  const user = { id: 1, email: "a@b.c", username: "ann", createdAt: new Date(), admin: false };
  // By the clock of another machine that is an hour ahead.
  const expiresAt = new Date(Date.now() + 3_600_000);
  const token = Token.fromPartial({ id: 7, userId: 1, name: "t", scope: "build:read", expiresAt });
  const accounts = {
    async authenticate({ secret }: { secret: string }) {
      lookups.push(secret);
      return { user, token, validForMs };
    },
  };
  const users = { keep: () => {} };
  return { lookups, sessions: cachedSessions(accounts as never, { connected: () => true }, users as never) };
}

test("a session is not cached after its token's expiry, whatever the gateway's clock shows", async () => {
  const { lookups, sessions } = sessionsOf(0);
  for (let n = 0; n < 3; n++) await sessions.of("secret");
  expect(lookups).toHaveLength(3);
});

test("requests with one token at the same time share at most two lookups", async () => {
  const { lookups, sessions } = sessionsOf(undefined);
  await Promise.all(Array.from({ length: 100 }, () => sessions.of("secret")));
  expect(lookups.length).toBeLessThanOrEqual(2);
});
