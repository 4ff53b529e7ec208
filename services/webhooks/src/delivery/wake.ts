import type { WebhookDoc } from "../store/webhook-doc.js";

/** `fresh`: first attempts just stored here are in memory. `news`: something here must be read. `look`: maybe due. */
export type WakeReason = "fresh" | "news" | "look";

/** A webhook, and the user to whose share of the slots it counts. */
export type Woken = Pick<WebhookDoc, "_id" | "userId">;

/** Adds a reason to an earlier one. Different ones become `news`. */
export const joinWakes =
  (reason: WakeReason) =>
  (earlier = reason): WakeReason =>
    earlier === reason ? reason : "news";
