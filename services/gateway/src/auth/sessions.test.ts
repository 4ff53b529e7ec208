import { Fault } from "@ci/kit/rpc/fault";
import type { AccountServiceClient } from "@ci/proto/namespaces/v1/accounts";
import type { Users } from "../backend/users.js";
import { cachedSessions } from "./sessions.js";

/** Sessions of which none is cached, because the bus is away, and a function that makes others. */
function uncached() {
  const lookedUp: string[] = [];
  const valid = new Set(["good"]);
  const authenticate = async ({ secret = "" }) => {
    lookedUp.push(secret);
    if (!valid.has(secret)) throw new Fault("unauthenticated", "Unauthorized");
    return { user: { id: 1 }, token: { id: 2, name: "t", scope: "" } };
  };
  const accounts = { authenticate } as unknown as AccountServiceClient;
  const users = { keep: () => {} } as unknown as Users;
  const sessionsOf = (isConnected: boolean) => cachedSessions(accounts, { connected: () => isConnected }, users);
  return { lookedUp, valid, sessions: sessionsOf(false), sessionsOf };
}

test("a gateway that misses the event does not trust a token that has ended once the end is confirmed", async () => {
  const { valid, sessionsOf } = uncached();
  const [one, other] = [sessionsOf(true), sessionsOf(true)];
  for (const sessions of [one, other]) expect(await sessions.of("good")).toMatchObject({ tokenId: 2 });
  valid.clear();
  await one.expire();
  for (const sessions of [one, other]) await expect(sessions.of("good")).rejects.toThrow("Unauthorized");
});

const refuse = () => {
  throw new Error("refused");
};

test("a token that is not known to be valid is looked up only if it is admitted", async () => {
  const { sessions, lookedUp, valid } = uncached();
  await expect(sessions.of("good", false, refuse)).rejects.toThrow("refused");
  expect(lookedUp).toEqual([]);
  await sessions.of("good");
  expect(await sessions.of("good", false, refuse)).toMatchObject({ tokenId: 2 });
  await expect(sessions.of("good", true, refuse)).rejects.toThrow("refused");
  valid.clear();
  await expect(sessions.of("good", false, refuse)).rejects.toThrow("Unauthorized");
  await expect(sessions.of("good", false, refuse)).rejects.toThrow("refused");
  expect(lookedUp).toEqual(["good", "good", "good"]);
});
