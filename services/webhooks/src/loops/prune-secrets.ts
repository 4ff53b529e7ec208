import type { Context } from "../context.js";

const longestWaitMs = 3 * 24 * 60 * 60 * 1_000;

export async function pruneSecrets({ webhooks, now }: Pick<Context, "webhooks" | "now">): Promise<0> {
  await webhooks.pruneSecrets(new Date(now().getTime() - longestWaitMs));
  return 0;
}
