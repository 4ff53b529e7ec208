import { batched } from "@ci/kit/process/batch";
import type { Context } from "./context.js";
import type { Made } from "./store/deliveries.js";
import type { News, Told, WebhookDoc } from "./store/webhooks.js";

/** One attempt, for the record of its delivery and for its webhook. */
export interface Written extends Made {
  readonly webhookId: number;
  readonly told: Told;
  /** What comes next depends on what the webhook is told: it is written at once. */
  readonly urgent: boolean;
}

/** What all lanes ask of the database at each attempt: for many of them it is asked and written at once. */
export interface Desk {
  /** The webhook as it is now; undefined when it is gone. */
  see(webhookId: number): Promise<WebhookDoc | undefined>;
  /** Takes a lane, as `Webhooks.claim` does. */
  claim(webhookId: number, dead?: string): Promise<WebhookDoc | null>;
  /** Writes an attempt down; those of one webhook in the order in which they are given. */
  write(made: Written): Promise<void>;
  /** Writes what webhooks are still to be told, and gives these lanes up. */
  tell(over: readonly number[]): Promise<void>;
}

const most = 200;
/** An attempt may wait so long until it is written down: nobody waits for it while all goes well. */
const writeAfterMs = 5;

export function desk({ webhooks, deliveries, presence }: Pick<Context, "webhooks" | "deliveries" | "presence">): Desk {
  /** The last that each webhook is to be told. */
  const untold = new Map<number, News>();
  let telling: Promise<unknown> = Promise.resolve();

  /** One after another: what is older never comes after what is newer, nor a claim before what was given up. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = telling.then(work);
    telling = mine.catch(() => undefined);
    return mine;
  }

  const tell = (over: readonly number[]) =>
    alone(async () => {
      for (const webhookId of over) untold.set(webhookId, { ...untold.get(webhookId), webhookId, over: true });
      const news = [...untold.values()];
      untold.clear();
      if (news.length > 0) await webhooks.tell(presence.holder, news);
    });

  return {
    see: batched({ most, waitMs: 0 }, async (ids: readonly number[]) => {
      const byId = new Map((await webhooks.read(ids)).map((doc) => [doc._id, doc]));
      return ids.map((id) => byId.get(id));
    }),
    async claim(webhookId, dead) {
      await telling;
      return webhooks.claim(webhookId, presence.holder, dead);
    },
    write: batched({ most, waitMs: writeAfterMs }, async (made: readonly Written[]) => {
      // A lane that is free must have left nothing due that was sent, so the record comes first.
      await deliveries.record(made);
      for (const { webhookId, told } of made) untold.set(webhookId, { webhookId, told, over: false });
      if (made.some(({ urgent }) => urgent)) await tell([]);
      return made.map(() => undefined);
    }),
    tell,
  };
}
