import { randomUUID } from "node:crypto";
import { oneByOne } from "@ci/kit/process/one-by-one";
import type { Context } from "../context.js";
import type { ImageDoc } from "../domain/image.js";

/** A download that this process attempts until the claim is disposed. */
export interface Claimed extends Disposable {
  readonly doc: ImageDoc;
  readonly token: string;
}

/** Returns a function that claims the next download. One user gets at most half of those that a process runs at a time. */
export function downloadClaims({ images, config }: Pick<Context, "images" | "config">) {
  const { downloadConcurrency, downloadLeaseMs } = config;
  const inTurn = oneByOne<Claimed>();
  const running = new Map<number, number>();

  function count(userId: number, more: number): void {
    const now = (running.get(userId) ?? 0) + more;
    if (now > 0) running.set(userId, now);
    else running.delete(userId);
  }

  return (): Promise<Claimed | undefined> =>
    inTurn("", async () => {
      const token = randomUUID();
      const busy = [...running].flatMap(([userId, downloads]) =>
        downloads >= downloadConcurrency / 2 ? [userId] : [],
      );
      const doc = await images.claim(token, downloadLeaseMs, busy);
      if (!doc) return undefined;
      count(doc.userId, 1);
      return { doc, token, [Symbol.dispose]: () => count(doc.userId, -1) };
    });
}
