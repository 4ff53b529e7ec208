import { randomUUID } from "node:crypto";
import { countsBy } from "@ci/kit/turns/counts";
import { findInTurn } from "@ci/kit/turns/find-in-turn";
import type { Context } from "../context.js";
import type { ImageDoc } from "../domain/image.js";

/** A download that this process attempts until the claim is disposed. */
export interface Claimed extends Disposable {
  readonly doc: ImageDoc;
  readonly token: string;
}

/**
 * Returns a function that claims the next download. Users take turns; those without a running download in this process come
 * first. One user has at most half of its running downloads.
 */
export function downloadClaims({ images, config }: Pick<Context, "images" | "config">) {
  const { downloadConcurrency, downloadLeaseMs } = config;
  const find = findInTurn<Claimed>();
  const running = countsBy<number>();
  let last = 0;

  async function claim(token: string, notOf: readonly number[]): Promise<ImageDoc | null> {
    const next = await images.claim(token, downloadLeaseMs, { after: last, notOf });
    return next ?? (last > 0 ? images.claim(token, downloadLeaseMs, { after: 0, notOf }) : null);
  }

  return (): Promise<Claimed | undefined> =>
    find("", async () => {
      const token = randomUUID();
      const users = running.keys();
      const busy = users.filter((userId) => running.of(userId) >= downloadConcurrency / 2);
      let doc = await claim(token, users);
      if (!doc && busy.length < users.length) doc = await claim(token, busy);
      if (!doc) return undefined;
      const { userId } = doc;
      last = userId;
      running.add(userId, 1);
      return { doc, token, [Symbol.dispose]: () => running.add(userId, -1) };
    });
}
