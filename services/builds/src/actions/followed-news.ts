import type { FollowedBuild } from "../store/build-queries.js";

/** How long a reading is trusted, in case a wakeup is lost. */
const checkEveryMs = 1_000;

/** What has happened to a build since its followers' reader last looked. */
export interface FollowedNews {
  /** `written` is the build as this process wrote it; undefined if another replica did. */
  add(written: FollowedBuild | undefined): void;
  /**
   * Resolves with the build as written after this revision; undefined if it has to be read, after a second at the latest, or
   * at the signal.
   */
  after(rev: number, signal: AbortSignal): Promise<FollowedBuild | undefined>;
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
    async after(rev, signal) {
      const giveUp = () => {
        mustRead = true;
        ring();
      };
      const timer = setTimeout(giveUp, checkEveryMs);
      signal.addEventListener("abort", giveUp, { once: true });
      // A write may be answered after a later one has been read.
      while (!mustRead && !signal.aborted && (newest?.rev ?? 0) <= rev) await next();
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      const written = mustRead ? undefined : newest;
      [mustRead, newest] = [false, undefined];
      return written;
    },
  };
}
