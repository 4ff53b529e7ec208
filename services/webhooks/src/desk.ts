import { together } from "@ci/kit/together";
import type { Context } from "./context.js";
import type { Made } from "./store/deliveries.js";
import type { News, WebhookDoc } from "./store/webhooks.js";

/** One attempt, for the record of its delivery and for its webhook. */
export type Written = Made & News;

/** What all lanes ask of the database at each attempt: for many of them it is asked and written at once. */
export interface Desk {
  /** The webhook as it is now; undefined when it is gone. */
  see(webhookId: number): Promise<WebhookDoc | undefined>;
  /** Writes an attempt down; those of one webhook in the order in which they are given. */
  write(made: Written): Promise<void>;
}

const most = 200;
/** An attempt may wait so long until it is written down: nobody waits for it while all goes well. */
const writeAfterMs = 5;

export function desk({ webhooks, deliveries, presence }: Pick<Context, "webhooks" | "deliveries" | "presence">): Desk {
  return {
    see: together({ most, waitMs: 0 }, async (ids: readonly number[]) => {
      const byId = new Map((await webhooks.read(ids)).map((doc) => [doc._id, doc]));
      return ids.map((id) => byId.get(id));
    }),
    write: together({ most, waitMs: writeAfterMs }, async (made: readonly Written[]) => {
      // A lane that is free must have left nothing due that was sent, so the record comes first.
      await deliveries.record(made);
      await webhooks.tell(presence.holder, [...new Map(made.map((one) => [one.webhookId, one])).values()]);
      return made.map(() => undefined);
    }),
  };
}
