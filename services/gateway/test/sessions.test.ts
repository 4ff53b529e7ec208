import { Token } from "@ci/proto/namespaces/v1/accounts";
import { sessions } from "../src/sessions.js";

/** Sessions over accounts that say of one token how long it has left, and how often they were asked. */
function over(validForMs: number | undefined) {
  const asked: string[] = [];
  const user = { id: 1, email: "a@b.c", username: "ann", createdAt: new Date(), admin: false };
  // By a clock that is an hour ahead of this one.
  const expiresAt = new Date(Date.now() + 3_600_000);
  const token = Token.fromPartial({ id: 7, userId: 1, name: "t", scope: "build:read", expiresAt });
  const accounts = {
    async authenticate({ secret }: { secret: string }) {
      asked.push(secret);
      return { user, token, validForMs };
    },
  };
  const people = { keep: () => {} };
  return { asked, met: sessions(accounts as never, { connected: () => true }, people as never) };
}

test("a session is not remembered beyond its token, whatever the clock of the gateway says", async () => {
  const { asked, met } = over(0);
  for (let n = 0; n < 3; n++) await met.of("secret");
  expect(asked).toHaveLength(3);
});
