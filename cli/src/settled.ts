import { setTimeout as delay } from "node:timers/promises";
import type { Fields } from "./format/cells.js";
import { type Io, note } from "./io.js";
import type { Session } from "./session.js";

const [firstPauseMs, maxPauseMs, patienceMs] = [100, 1_000, 30_000];

/** Returns a delivery once its attempt has ended, or as it is after half a minute. */
export async function settled(io: Io, { client }: Session, path: string, sent: Fields): Promise<Fields> {
  const startedMs = performance.now();
  let delivery = sent;
  for (let pauseMs = firstPauseMs; delivery.status === "pending"; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    if (performance.now() - startedMs > patienceMs) {
      note(io, `Delivery ${sent.id} still waits. \`ci webhooks delivery\` shows it`);
      break;
    }
    await delay(pauseMs, undefined, { signal: io.signal });
    delivery = (await (await client.request(path)).json()) as Fields;
  }
  return delivery;
}
