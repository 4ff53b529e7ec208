import { settingsCacheMs } from "../domain/settings-cache.js";
import type { WebhookDoc } from "../store/webhook-doc.js";
import { seenWebhooks } from "./seen-webhooks.js";

const aWebhook = (_id: number) => ({ _id }) as WebhookDoc;

test("a webhook that was just read is taken once", () => {
  const readAtMs = 5_000;
  const seen = seenWebhooks(() => readAtMs + settingsCacheMs - 1);
  seen.add([aWebhook(1), aWebhook(2)], readAtMs);
  expect(seen.take(1)).toEqual({ webhook: { _id: 1 }, readAtMs });
  expect([seen.take(1), seen.take(3)]).toEqual([undefined, undefined]);
});

test("no webhook is taken after a change of it may have been confirmed", () => {
  const readAtMs = 5_000;
  const seen = seenWebhooks(() => readAtMs + settingsCacheMs);
  seen.add([aWebhook(1)], readAtMs);
  expect(seen.take(1)).toBeUndefined();
});

test("of too many webhooks the earliest are forgotten", () => {
  const seen = seenWebhooks(() => 0);
  const ids = Array.from({ length: 1_001 }, (_, index) => index);
  seen.add(ids.map(aWebhook), 0);
  expect([seen.take(0), seen.take(1)?.webhook._id, seen.take(1_000)?.webhook._id]).toEqual([undefined, 1, 1_000]);
});

test("a webhook with headers was not read whole, so it is not taken, nor is an earlier one", () => {
  const seen = seenWebhooks(() => 0);
  seen.add([aWebhook(1), aWebhook(2)], 0);
  seen.add([{ ...aWebhook(1), headers: { origin: "http://example.com" } }], 0);
  expect([seen.take(1), seen.take(2)?.webhook._id]).toEqual([undefined, 2]);
});
