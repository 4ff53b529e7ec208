import { isAtEnd, watchScrolling } from "./keep-in-view.js";

/** Knows where the person who reads an output is, and takes them to its end. */
export function readerOf(root: HTMLElement) {
  let heldAt: number | undefined;
  let hasScrolled = () => false;

  /** Reports whether the reader sees the end, also if the browser has not laid all of it out yet. */
  const seesEnd = (): boolean => isAtEnd(root) || (heldAt !== undefined && scrollY >= heldAt);

  function goToEnd(): void {
    scrollBy({ top: Math.max(0, root.getBoundingClientRect().bottom - innerHeight + 16), behavior: "instant" });
    heldAt = scrollY;
  }

  return {
    seesEnd,
    /** Reports whether the reader has scrolled elsewhere since `watch`. */
    hasMoved: (): boolean => hasScrolled() && !seesEnd(),
    watch(): void {
      hasScrolled = watchScrolling(root);
    },
    /** Goes to the end, and again in the next frame unless the reader leaves it. */
    holdAtEnd(): void {
      goToEnd();
      requestAnimationFrame(() => heldAt !== undefined && scrollY >= heldAt && goToEnd());
    },
    release(): void {
      heldAt = undefined;
    },
  };
}
