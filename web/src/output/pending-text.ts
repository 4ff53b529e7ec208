import { cutIn } from "./frame-cut.js";

const maxPending = 1024 * 1024;

/** Holds text until the next frame draws it. Once it holds too much, writers wait. */
export function pendingText() {
  let text = "";
  let waiting: (() => void)[] = [];
  const released = () => new Promise<void>((resolve) => waiting.push(resolve));
  return {
    isEmpty: () => text === "",
    hasRoom: () => text.length < maxPending,
    released,
    add(more: string): void {
      text += more;
    },
    /** Takes what one frame draws. */
    take(): string {
      const taken = text.slice(0, cutIn(text));
      text = text.slice(taken.length);
      return taken;
    },
    drop(): void {
      text = "";
    },
    /** Lets all go on who wait for `released`. */
    release(): void {
      for (const resolve of waiting) resolve();
      waiting = [];
    },
  };
}
