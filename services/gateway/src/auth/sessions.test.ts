import { Fault } from "@ci/kit/rpc/fault";
import type { AccountServiceClient } from "@ci/proto/namespaces/v1/accounts";
import type { Users } from "../backend/users.js";
import { cachedSessions } from "./sessions.js";

/** Sessions of which none is cached, because the bus is away. */
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
  return { lookedUp, valid, sessions: cachedSessions(accounts, { connected: () => false }, users) };
}

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
