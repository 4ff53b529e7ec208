import type { WebhookDoc } from "../store/webhook-doc.js";

/** `fresh`: first attempts just stored here are in memory. `news`: something here must be read. `look`: maybe due. */
export type WakeReason = "fresh" | "news" | "look";

/** A webhook, and the user to whose share of the slots it counts. */
export type Woken = Pick<WebhookDoc, "_id" | "userId">;

interface Share {
  running: number;
  readonly waiting: Map<number, WakeReason>;
}

/** Adds a reason. Different ones become `news`. */
export function addWake(wakes: Map<number, WakeReason>, webhookId: number, reason: WakeReason): void {
  const earlier = wakes.get(webhookId) ?? reason;
  wakes.set(webhookId, earlier === reason ? reason : "news");
}

/**
 * Webhooks that wait for slots. Owners take turns, and no owner starts a turn while it has as many slots as are free. So
 * one owner gets half of the slots, and others find a slot free although all of the first one's receivers hang.
 */
export function fairQueue(slots: number) {
  /** Owners with webhooks that wait or run. The first has waited longest for a slot. */
  const shares = new Map<number, Share>();
  let taken = 0;

  return {
    add({ _id, userId }: Woken, reason: WakeReason): void {
      const share = shares.get(userId) ?? { running: 0, waiting: new Map() };
      shares.set(userId, share);
      addWake(share.waiting, _id, reason);
    },

    /** Gives a slot to the next webhook; undefined if none may have one now. */
    take(): { readonly webhook: Woken; readonly reason: WakeReason } | undefined {
      for (const [userId, share] of shares) {
        const [first] = share.waiting;
        if (!first || share.running >= slots - taken) continue;
        const [_id, reason] = first;
        share.waiting.delete(_id);
        share.running++;
        taken++;
        shares.delete(userId);
        shares.set(userId, share);
        return { webhook: { _id, userId }, reason };
      }
      return undefined;
    },

    /** Frees the slot of one of an owner's webhooks. */
    release(userId: number): void {
      const share = shares.get(userId)!;
      share.running--;
      taken--;
      if (share.running === 0 && share.waiting.size === 0) shares.delete(userId);
    },

    /** Reports whether the owner's own webhooks, or those of an owner with fewer slots, wait for a slot. */
    isWanted(userId: number): boolean {
      const own = shares.get(userId)!;
      if (own.waiting.size > 0) return true;
      for (const { running, waiting } of shares.values()) if (waiting.size > 0 && running < own.running) return true;
      return false;
    },
  };
}
