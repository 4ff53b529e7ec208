import type { Context } from "../context.js";

/** As long as events wait in NATS. */
const keptMs = 3 * 24 * 60 * 60 * 1_000;

/** Removes replaced and removed secrets that no event needs any more. */
export async function pruneSecrets({ webhooks, now }: Pick<Context, "webhooks" | "now">): Promise<0> {
  await webhooks.pruneSecrets(new Date(now().getTime() - keptMs));
  return 0;
}
