import { fullPause } from "@ci/kit/process/full-pause";
import { settingsCacheMs } from "../domain/settings-cache.js";
import type { WebhookDoc } from "../store/webhook-doc.js";
import { seenWebhooks } from "./seen-webhooks.js";

const aWebhook = (_id: number) => ({ _id }) as WebhookDoc;

test("a webhook that was just read is taken once", () => {
  const seen = seenWebhooks();
  const readAtMs = performance.now();
  seen.add([aWebhook(1), aWebhook(2)], readAtMs);
  expect(seen.take(1)).toEqual({ webhook: { _id: 1 }, readAtMs });
  expect([seen.take(1), seen.take(3)]).toEqual([undefined, undefined]);
});

test("no webhook is taken after a change of it may have been confirmed", async () => {
  const seen = seenWebhooks();
  seen.add([aWebhook(1)], performance.now());
  await fullPause(settingsCacheMs);
  expect(seen.take(1)).toBeUndefined();
});

test("of too many webhooks the earliest are forgotten", () => {
  const seen = seenWebhooks();
  const ids = Array.from({ length: 1_001 }, (_, index) => index);
  seen.add(ids.map(aWebhook), performance.now() + 60_000);
  expect([seen.take(0), seen.take(1)?.webhook._id, seen.take(1_000)?.webhook._id]).toEqual([undefined, 1, 1_000]);
});
