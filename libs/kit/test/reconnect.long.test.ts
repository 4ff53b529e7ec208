import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { connect } from "@ci/testkit/identities";

/** The first pauses are short. */
const firstAttempts = 10;
/** A call is repeated for two seconds. */
const mostMs = 1_500;

test("a client looks for a service that stays away so often that a call finds it within its repetitions", async () => {
  const attemptedAt: number[] = [];
  const away = createServer((socket) => {
    attemptedAt.push(performance.now());
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(away, "listening");
  await using peer = connect(`127.0.0.1:${(away.address() as AddressInfo).port}`);
  const call = peer.client(AccountServiceDefinition).getUser({ by: { $case: "id", value: 1 } });
  await expect(call).rejects.toMatchObject({ code: "unavailable" });
  await eventually(() => {
    const pauses = attemptedAt.slice(1).map((at, nth) => at - attemptedAt[nth]!);
    const later = pauses.slice(firstAttempts).sort((a, b) => a - b);
    expect(later.length).toBeGreaterThan(4);
    expect(later[Math.floor(later.length / 2)]).toBeLessThan(mostMs);
  });
  away.close();
});
