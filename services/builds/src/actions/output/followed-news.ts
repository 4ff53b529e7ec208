import type { FollowedBuild } from "../../store/followed-builds.js";

/** How long a reading is trusted, in case a wakeup is lost. */
const checkEveryMs = 1_000;

/**
 * `written`: the build as this process wrote it. `held`: the build as last read, if no change is known. Neither if
 * another replica has changed it.
 */
export interface Known {
  readonly written?: FollowedBuild | undefined;
  readonly held?: FollowedBuild | undefined;
}

/** What has happened to a build since its followers' reader last looked. */
interface FollowedNews {
  /** `written` is the build as this process wrote it; undefined if another replica did. */
  add(written: FollowedBuild | undefined): void;
  /** Resolves once `held` is out of date, after this time at the latest (by default a second), or at the signal. */
  after(held: FollowedBuild, signal: AbortSignal, withinMs?: number): Promise<Known>;
}

export function followedNews(): FollowedNews {
  let newest: FollowedBuild | undefined;
  let mustRead = false;
  let ring = () => {};

  const next = () =>
    new Promise<void>((resolve) => {
      ring = resolve;
    });

  return {
    add(written) {
      if (!written) mustRead = true;
      else if (!newest || written.rev > newest.rev) newest = written;
      ring();
    },
    async after(held, signal, withinMs = checkEveryMs) {
      let isOver = signal.aborted;
      const giveUp = () => {
        isOver = true;
        ring();
      };
      const timer = setTimeout(giveUp, withinMs);
      signal.addEventListener("abort", giveUp, { once: true });
      // A write may be answered after a later one has been read.
      const isWritten = () => newest !== undefined && newest.rev > held.rev;
      while (!mustRead && !isWritten() && !isOver) await next();
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      const known = isWritten() ? { written: newest } : { held };
      const news = mustRead ? {} : known;
      [mustRead, newest] = [false, undefined];
      return news;
    },
  };
}
