import { ansiParser } from "../ansi.js";
import { lineId } from "../routes.js";
import { type Block, blockList, blockWriter } from "./blocks.js";
import { type EarlierLine, earlierLines, partsFromEnd, pause } from "./earlier-lines.js";
import { joinFold, reveal, toggleFold } from "./folding.js";
import { cutIn } from "./frame-cut.js";
import { frames } from "./frames.js";
import { isAtEnd, watchScrolling } from "./keep-in-view.js";
import { timeQueue } from "./line-time.js";
import { bytesOf, isAscii } from "./text-bytes.js";

/** What the page holds at once. Further lines replace those at the other end, which can be loaded again. */
const maxLines = 120_000;
const maxBytes = 16 * 1024 * 1024;
/** Text that waits for its frame. */
const maxPending = 1024 * 1024;

/** The part of the output that is on the page. */
export interface Window {
  /** Byte offset of the first line. */
  readonly from: number;
  /** Number of the first line, from 1; undefined if the lines have no numbers. */
  readonly first: number | undefined;
  readonly lines: number;
  /** Whether it takes no more lines at its end until `resume`. */
  readonly full: boolean;
  /** The line that was asked for, until it is on the page. */
  readonly wanted?: number | undefined;
}

export interface LogOptions {
  readonly job: string;
  /** Byte offset of the first line. */
  readonly from: number;
  /** Number of the first line; undefined if it is unknown. */
  readonly first: number | undefined;
  /** Whether the page keeps showing the end while the reader is there. */
  readonly follows: boolean;
  /** Whether the page scrolls to its first lines, wherever the reader is. */
  readonly jumps: boolean;
  /** The line that the address names. */
  readonly wanted?: number | undefined;
  readonly onChange: (window: Window) => void;
}

export interface LogView {
  /** Adds text at the end, with or without times. Resolves when the page is ready for more; with false if it takes no more. */
  append(text: string, timed: boolean): Promise<boolean>;
  /** Resolves when all text is on the page. */
  drawn(): Promise<void>;
  /** Shows what waits for the rest of an escape sequence, because the output has ended. */
  end(): void;
  /** Follows the end as text arrives, while the reader is there. */
  follow(): void;
  /** Returns the first block that has lines without their times. */
  untimed(): Block | undefined;
  /** Adds text before the first line, part by part. Its last line may be a piece of a longer one. */
  prepend(text: string, bytes: number): Promise<void>;
  /** Takes text again, from the returned byte offset on. */
  resume(): number;
  /** Drops text that is not on the page yet. Returns the byte offset from which the page needs it again. */
  restart(): number;
  /** Reports whether the reader has scrolled elsewhere since a line was asked for that was not printed yet. */
  hasMoved(): boolean;
  /** Marks a line and scrolls to it. Reports whether it is on the page, or will be. */
  show(line: number): boolean;
  /** Scrolls to the end and follows it as text arrives. Returns false if the window is full and does not hold the end. */
  showEnd(): boolean;
  stop(): void;
}

/** Shows a part of an output in `root`. */
export function logView(root: HTMLElement, { job, onChange, ...options }: LogOptions): LogView {
  root.replaceChildren();
  const list = blockList(root);
  let writer = blockWriter(job, options, list.append);
  let parser = ansiParser();
  const times = timeQueue();
  let { wanted, follows, jumps } = options;
  let pending = "";
  let openBytes = 0;
  let open: HTMLElement | undefined;
  let full = false;
  let stopped = false;
  let waiting: (() => void)[] = [];
  let heldAt: number | undefined;
  let hasScrolled = () => false;
  const frame = frames(draw);

  /** Reports whether the page holds more than this share of what it may hold. */
  const isOver = (share = 1): boolean =>
    list.blocks.length > 1 &&
    (list.lines() > share * maxLines || writer.position() - list.blocks[0]!.from > share * maxBytes);

  function changed(): void {
    const [block] = list.blocks;
    onChange({
      from: block?.from ?? options.from,
      first: block ? block.first : options.first,
      lines: list.lines(),
      full,
      wanted,
    });
  }

  function release(): void {
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  function take(text: string): void {
    const { lines, open: unfinished } = parser.push(text);
    const ascii = isAscii(text);
    const ended = text.split("\n");
    const unended = ended.pop() ?? "";
    for (const [index, line] of lines.entries()) {
      writer.end(open, line, openBytes + bytesOf(ended[index] ?? "", ascii) + 1, times.current());
      times.next();
      open = undefined;
      openBytes = 0;
    }
    openBytes += bytesOf(unended, ascii);
    if (unfinished.length > 0) open = writer.grow(open, unfinished, times.current());
  }

  function toEnd(): void {
    if (stopped) return;
    scrollBy({ top: Math.max(0, root.getBoundingClientRect().bottom - innerHeight + 16), behavior: "instant" });
    heldAt = scrollY;
  }

  /** Reports whether the reader sees the end, also if the browser has not laid all of it out yet. */
  const seesEnd = (): boolean => isAtEnd(root) || (heldAt !== undefined && scrollY >= heldAt);

  const hasMoved = (): boolean => hasScrolled() && !seesEnd();

  function draw(): void {
    const moved = hasMoved();
    const atEnd = jumps || seesEnd();
    heldAt = undefined;
    jumps = false;
    const text = pending.slice(0, cutIn(pending));
    pending = pending.slice(text.length);
    take(text);
    while (isOver() && atEnd) list.removeFirst();
    if (isOver()) full = true;
    changed();
    const line = wanted;
    if (line !== undefined) mark(line, !moved);
    else if (follows && atEnd) {
      toEnd();
      requestAnimationFrame(() => heldAt !== undefined && scrollY >= heldAt && toEnd());
    }
    if (full) pending = "";
    if (pending) frame.request();
    if (pending.length < maxPending) release();
  }

  function mark(line: number, scrolls = true): boolean {
    const element = document.getElementById(lineId(job, line));
    if (!element) return false;
    wanted = undefined;
    changed();
    root.querySelector(".marked")?.classList.remove("marked");
    element.classList.add("marked");
    reveal(element);
    if (scrolls) element.scrollIntoView({ block: "center", behavior: "instant" });
    return true;
  }

  /** Adds lines before the first. `from` is their byte offset, if it is known better than by their bytes. */
  function addBefore(part: readonly EarlierLine[], from?: number): void {
    const [before] = list.blocks;
    const { from: end, first } = before ?? options;
    const added: Block[] = [];
    const whole = part.filter(({ isPiece }) => !isPiece).length;
    const start = {
      from: from ?? end - part.reduce((sum, { bytes }) => sum + bytes, 0),
      first: first === undefined ? undefined : first - whole,
    };
    const earlier = blockWriter(job, start, (block) => added.push(block));
    for (const { line, bytes, isPiece } of part) earlier.end(undefined, line, bytes).classList.toggle("piece", isPiece);
    const [last, next] = [added.at(-1)?.element.lastElementChild, before?.element.firstElementChild];
    if (last && next) joinFold(last, next);
    const top = before?.element.getBoundingClientRect().top;
    list.prepend(added);
    if (before && top !== undefined)
      scrollBy({ top: before.element.getBoundingClientRect().top - top, behavior: "instant" });
    while (isOver()) removeLast();
    if (full) pending = "";
    changed();
  }

  /** Makes room at the end. Text that arrives there has a gap before it, so none is taken until it is loaded again. */
  function removeLast(): void {
    const last = list.removeLast();
    if (!last) return;
    full = true;
    writer = blockWriter(job, last, list.append);
    parser = ansiParser();
    open = undefined;
    openBytes = 0;
  }

  function restart(): number {
    pending = "";
    times.restart(openBytes > 0);
    return writer.position() + openBytes;
  }

  const onClick = (event: MouseEvent) => {
    const button = event.target instanceof Element ? event.target.closest(".fold") : null;
    if (button?.parentElement) toggleFold(button.parentElement);
  };
  root.addEventListener("click", onClick);

  return {
    async append(text, timed) {
      if (stopped || full) return false;
      pending += times.take(text, timed);
      frame.request();
      if (pending.length >= maxPending) await new Promise<void>((resolve) => waiting.push(resolve));
      return !stopped && !full;
    },

    async drawn() {
      while (pending && !stopped) await new Promise<void>((resolve) => waiting.push(resolve));
    },

    end() {
      const line = full ? [] : parser.end();
      if (line.length > 0) open = writer.grow(open, line, times.current());
      changed();
    },

    hasMoved,

    follow() {
      follows = true;
      hasScrolled = watchScrolling(root);
    },

    untimed: list.untimed,

    async prepend(text, bytes) {
      let [top] = list.blocks;
      const start = (top?.from ?? options.from) - bytes;
      const lines = await earlierLines(text);
      let left = lines.length;
      for (const part of partsFromEnd(lines)) {
        if (stopped || list.blocks[0] !== top) return;
        left -= part.length;
        addBefore(part, left === 0 ? start : undefined);
        [top] = list.blocks;
        if (lines.length - left > maxLines / 2) return;
        await pause();
      }
    },

    resume() {
      full = false;
      while (isOver(0.5)) list.removeFirst();
      changed();
      return restart();
    },

    restart,

    show(line) {
      if (mark(line)) return true;
      const [block] = list.blocks;
      if (block?.first === undefined || line < block.first || full) return false;
      wanted = line;
      hasScrolled = watchScrolling(root);
      changed();
      return true;
    },

    showEnd() {
      if (full) return false;
      follows = true;
      const last = root.lastElementChild?.lastElementChild as HTMLElement | null | undefined;
      if (last) reveal(last);
      last?.scrollIntoView({ block: "nearest", behavior: "instant" });
      return true;
    },

    stop() {
      stopped = true;
      frame.cancel();
      release();
      root.removeEventListener("click", onClick);
    },
  };
}
