import type { OutboxEvent } from "@ci/kit/mongo/document";
import { inMs } from "@ci/kit/mongo/expressions";
import { firstDueInMs } from "@ci/kit/mongo/first-due";
import type { Nudge } from "@ci/kit/mongo/outbox";
import type { Collection } from "mongodb";
import type { Fetch, ImageDoc, Progress } from "../domain/image.js";
import { unchanged } from "./unchanged.js";

/** Whose downloads may be claimed. */
export interface Turn {
  /** Only users with larger ids. */
  readonly after: number;
  readonly notOf: readonly number[];
}

const byUser = { userId: 1, "fetch.dueAt": 1 } as const;

/** An attempt whose process ends in order removes its token. Old documents have no count. */
const lost = { $add: [{ $ifNull: ["$fetch.lost", 0] }, { $cond: [{ $gt: ["$fetch.token", null] }, 1, 0] }] };

/** Stores the leases of downloads. No method changes anything if the attempt has lost its lease. */
const leases = (images: Collection<ImageDoc>) => ({
  /**
   * Finds the next user after `after` who is not in `notOf`, and claims the download of theirs that has been due longest; null
   * if there is none. It is due again when the lease ends.
   */
  claim: (token: string, leaseMs: number, { after, notOf }: Turn) =>
    images.findOneAndUpdate(
      {
        userId: { $gt: after, $nin: [...notOf] },
        "fetch.dueAt": { $exists: true },
        $expr: { $lte: ["$fetch.dueAt", "$$NOW"] },
      },
      [
        {
          $set: {
            "fetch.dueAt": inMs(leaseMs),
            "fetch.token": token,
            "fetch.lost": lost,
            "download.startedAt": { $ifNull: ["$download.startedAt", "$$NOW"] },
          },
        },
      ],
      { sort: byUser, hint: byUser, returnDocument: "after" },
    ),

  nextDownloadInMs: () => firstDueInMs(images, "fetch.dueAt"),

  async renew(id: number, token: string, leaseMs: number, received: number | undefined): Promise<boolean> {
    const progress = received === undefined ? {} : { "download.received": received };
    const change = [{ $set: { "fetch.dueAt": inMs(leaseMs), ...progress } }];
    return (await images.updateOne({ _id: id, "fetch.token": token }, change)).matchedCount > 0;
  },

  async postpone(id: number, token: string, pauseMs: number, failures: number): Promise<void> {
    const change = [{ $set: { "fetch.dueAt": inMs(pauseMs), "fetch.failures": failures } }, { $unset: "fetch.token" }];
    await images.updateOne({ _id: id, "fetch.token": token }, change);
  },
});

const results = (images: Collection<ImageDoc>, nudge: Nudge) => ({
  /** Records that content arrives, and what the next attempt may resume; false if the lease was lost. */
  async beginTransfer(
    id: number,
    token: string,
    { received, total }: Progress,
    partial: Fetch["partial"],
  ): Promise<boolean> {
    const change = {
      $set: {
        "download.received": received,
        ...(total && { "download.total": total }),
        ...(partial && { "fetch.partial": partial }),
      },
      $unset: {
        ...(!total && { "download.total": true as const }),
        ...(!partial && { "fetch.partial": true as const }),
      },
    };
    return (await images.updateOne({ _id: id, "fetch.token": token }, change)).matchedCount > 0;
  },

  /** Ends a download with its result and the event that `report` makes of it; false if the lease was lost. */
  async finish(
    id: number,
    token: string,
    result: Partial<ImageDoc>,
    report: (doc: ImageDoc) => OutboxEvent,
  ): Promise<boolean> {
    for (;;) {
      const read = await images.findOne({ _id: id, "fetch.token": token });
      if (!read) return false;
      const { matchedCount } = await images.updateOne(
        { ...unchanged(read), "fetch.token": token },
        { $set: result, $unset: { fetch: true }, $push: { outbox: report({ ...read, ...result }) } },
      );
      if (matchedCount === 0) continue;
      nudge(images as never, id);
      return true;
    }
  },
});

export const downloadQueue = (images: Collection<ImageDoc>, nudge: Nudge) => ({
  ...leases(images),
  ...results(images, nudge),
});
