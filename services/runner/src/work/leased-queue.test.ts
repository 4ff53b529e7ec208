import type { QueueServiceClient } from "@ci/proto/builds/v1/queue";
import { leasedQueue } from "./leased-queue.js";

/** Hands out a build at every claim and keeps the secrets of renewals. */
function queueOfClaims() {
  let claims = 0;
  const renewedWith: unknown[] = [];
  const queue = {
    claimBuild: async () => {
      claims++;
      return { assignment: { buildId: claims, epoch: 1, leaseSecret: `secret of ${claims}` } };
    },
    renewLease: async ({ leaseSecret }: { leaseSecret?: string }) => {
      renewedWith.push(leaseSecret);
      return {};
    },
  };
  return { queue: leasedQueue(queue as unknown as QueueServiceClient), renewedWith };
}

test("the secret of a lease that is renewed is kept however many builds are claimed meanwhile", async () => {
  const { queue, renewedWith } = queueOfClaims();
  const ask = { runnerId: "r", drivers: [], places: 1 };
  for (let round = 0; round < 3; round++) {
    for (let claim = 0; claim < 5_001; claim++) await queue.claimBuild(ask);
    await queue.renewLease({ buildId: 1, epoch: 1 });
  }
  expect(renewedWith).toEqual(Array(3).fill("secret of 1"));
});
