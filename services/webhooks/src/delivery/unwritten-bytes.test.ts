import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import { testKeyring } from "@ci/testkit/accounts";
import type { Context } from "../context.js";
import { type DeliveryDoc, dueImmediately, type RecordedAttempt } from "../store/delivery-doc.js";
import type { WebhookDoc } from "../store/webhook-doc.js";
import { batchedWrites, maxUnwrittenBytes } from "./batched-writes.js";
import { idleLanes } from "./idle-lanes.js";
import { payloadTurns } from "./payload-turns.js";
import { recentDeliveries } from "./recent-deliveries.js";
import { runLane } from "./run-lane.js";
import { seenWebhooks } from "./seen-webhooks.js";
import { unwrittenBytes } from "./unwritten-bytes.js";

const mib = 1024 ** 2;

test("room is there once enough bytes are written", async () => {
  const bytes = unwrittenBytes(10);
  let hurried = 0;
  const hurry = () => hurried++;
  bytes.add(10);
  await bytes.room(hurry);
  bytes.add(2);
  bytes.add(3);
  let waits = 2;
  const waiting = [1, 2].map(() => bytes.room(hurry).then(() => waits--));
  bytes.remove(2);
  await new Promise(setImmediate);
  expect([waits, hurried]).toEqual([2, 2]);
  bytes.remove(3);
  await Promise.all(waiting);
  expect(waits).toBe(0);
});

const deliveriesOf = (webhookId: number) =>
  Array.from({ length: 40 }, (_, nth) => ({
    _id: 100 * webhookId + nth,
    webhookId,
    deliveryId: "",
    event: "build.submitted",
    status: Delivery_Status.pending,
    attempts: [],
    attemptCount: 0,
    createdAt: new Date(),
    request: { headers: {}, payload: "{}" },
    dueAt: dueImmediately,
    redelivery: false,
    asked: 0,
  })) as unknown as DeliveryDoc[];

const aWebhook = (_id: number) =>
  ({ _id, userId: 1, active: true, activeSince: new Date(0), secrets: {}, lane: { holder: "me" } }) as WebhookDoc;

/** Lanes of a process whose receivers answer with 1 MiB, and whose attempts are written slowly. */
function slowlyWriting() {
  let posted = 0;
  let written = 0;
  let mostUnwritten = 0;
  const commands: number[] = [];
  const heartbeat = { holder: "me", isCurrent: () => true, refresh: async () => undefined };
  const stores = {
    heartbeat,
    webhooks: {
      claimLane: async (id: number) => aWebhook(id),
      findByIds: async (ids: readonly number[]) => ids.map(aWebhook),
      updateLanes: async () => undefined,
    },
    deliveries: {
      due: async (webhookId: number) => ({ docs: deliveriesOf(webhookId), left: "nothing" }),
      async recordAttempts(attempts: readonly RecordedAttempt[]) {
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
        commands.push(attempts.length);
        written += attempts.length;
      },
    },
  } as unknown as Context;
  const ctx = {
    ...stores,
    config: { keyring: testKeyring, headerPrefix: "X", pausesMs: [] },
    now: () => new Date(),
    writes: batchedWrites(stores),
    recent: recentDeliveries(),
    seen: seenWebhooks(),
    idleLanes: idleLanes(),
    payloadTurns: payloadTurns(),
    sharedPayloads: { read: async () => "{}" },
    async post() {
      mostUnwritten = Math.max(mostUnwritten, ++posted - written);
      return { response: { code: 200, headers: {}, body: "x".repeat(mib), truncated: false }, durationNs: 1 };
    },
  } as unknown as Context;
  return { ctx, commands, result: () => ({ posted, written, mostUnwritten }) };
}

test("lanes wait while the responses that are not written are too large, and one command writes few of them", async () => {
  const { ctx, commands, result } = slowlyWriting();
  const lanes = [1, 2, 3];
  const { signal } = new AbortController();
  const turnOf = (_id: number) =>
    ({ webhook: { _id, userId: 1 }, reason: "look", isOver: () => false, signal }) as const;
  await Promise.all(lanes.map((id) => runLane(ctx, { ...turnOf(id), takeWake: () => undefined })));
  await ctx.writes.releaseLanes(lanes);
  const { posted, written, mostUnwritten } = result();
  expect([posted, written]).toEqual([120, 120]);
  expect(mostUnwritten).toBeLessThanOrEqual(maxUnwrittenBytes / mib + lanes.length);
  expect(Math.max(...commands)).toBe(1);
});
