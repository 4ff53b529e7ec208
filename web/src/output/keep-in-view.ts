/** Reports whether the reader sees the end of an output. Without lines it has no box of its own. */
export const isAtEnd = (root: Element): boolean =>
  root.firstChild
    ? root.getBoundingClientRect().bottom <= innerHeight + 60
    : (root.parentElement ?? root).getBoundingClientRect().top <= innerHeight;

const isInView = (element: Element): boolean => element.getBoundingClientRect().bottom > 0;

/** Remembers where a line in view is: the last one if the reader is at the end. The returned function scrolls it back there. */
export function keepInView(root: Element): () => void {
  const last = root.lastElementChild?.lastElementChild;
  const top = [...([...root.children].find(isInView)?.children ?? [])].find(isInView);
  const line = isAtEnd(root) ? last : top;
  const before = line?.getBoundingClientRect().bottom ?? 0;
  return () => line && scrollBy({ top: line.getBoundingClientRect().bottom - before, behavior: "instant" });
}

/** Remembers where the reader is. The returned function reports whether the reader has scrolled since. A layout shift does not count. */
export function watchScrolling(root: Element): () => boolean {
  const topOf = () => root.getBoundingClientRect().top;
  const [at, top] = [scrollY, topOf()];
  return () => scrollY !== at && Math.abs(topOf() - top) >= 1;
}

/** Reports whether the reader works in the output below an element, or sees its lines but not the end. */
export function isRead(root: Element | null): boolean {
  const output = root?.querySelector(".output");
  const log = output?.querySelector(".log");
  if (!output || !log) return false;
  const { top } = log.getBoundingClientRect();
  return output.contains(document.activeElement) || (top < innerHeight && isInView(log) && !isAtEnd(log));
}
