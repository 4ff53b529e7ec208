import { randomUUID } from "node:crypto";
import { RepositoryServiceDefinition } from "@ci/proto/builds/v1/repositories";
import { eventually } from "@ci/testkit/eventually";
import { type Gate, gate } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import type { HookDelivery } from "../../src/store/hooks/hook-deliveries.js";
import { bootHooks, deliveries, manifest } from "./_hooks.js";

let held: Gate | undefined;
const { suite, hooked } = bootHooks(
  { hookAnswerMs: 100 },
  {
    before: async () => {
      await held?.pass();
      return undefined;
    },
  },
);

it("a replica that stops hands its deliveries over at once, also those that wait, and does not count as crashed", async () => {
  const { git, record } = await hooked();
  const sha = await git.commit({ ".service-ci.yml": manifest });
  const stored = suite.database().collection<HookDelivery>("hookDeliveries");
  held = gate();
  const stopping = await suite.startService();
  await using peer = connect(`127.0.0.1:${stopping.port}`);
  const repositories = peer.client(RepositoryServiceDefinition);
  const push = (id: string) =>
    repositories.receiveHook({
      provider: "github",
      id: record.id,
      ...deliveries.push.github({ sha, message: id }, id),
    });
  await Promise.all(Array.from({ length: 20 }, () => push(randomUUID())));
  await held.reached;
  // As if holders had crashed before: one more would be the last.
  await stored.updateMany({ repositoryId: record.id, number: { $gt: 0 } }, { $set: { lost: 4 } });
  const release = held;
  held = undefined;
  await stopping[Symbol.asyncDispose]();
  release.open();
  const built = { repositoryId: record.id, number: { $gt: 0 }, sha, wrong: false, heldUntil: { $exists: false } };
  await eventually(async () => expect(await stored.countDocuments(built)).toBe(20));
});
