import { ansiParser } from "../ansi.js";
import { lineId } from "../routes.js";
import { type Block, blockList, blockWriter } from "./blocks.js";
import { reveal, toggleFold } from "./folding.js";
import { cutIn } from "./frame-cut.js";
import { timeQueue } from "./line-time.js";

/** What the page holds at once. Further lines replace those at the other end, which can be loaded again. */
const maxLines = 120_000;
const maxBytes = 16 * 1024 * 1024;
/** Text that waits for its frame. */
const maxPending = 1024 * 1024;
/** Hidden pages have no frames. */
const hiddenMs = 500;

/** The part of the output that is on the page. */
export interface Window {
  /** Byte offset of the first line. */
  readonly from: number;
  /** Number of the first line, from 1; undefined if the lines have no numbers. */
  readonly first: number | undefined;
  readonly lines: number;
  /** Whether it takes no more lines at its end until `resume`. */
  readonly full: boolean;
}

export interface LogOptions {
  readonly job: string;
  /** Byte offset of the first line. */
  readonly from: number;
  /** Number of the first line; undefined if it is unknown. */
  readonly first: number | undefined;
  /** Whether the page keeps showing the end while the reader is there. */
  readonly follows: boolean;
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
  /** Returns the first block that has lines without their times. */
  untimed(): Block | undefined;
  /** Adds text before the first line. Its last line may be a piece of a longer one. */
  prepend(text: string, bytes: number): void;
  /** Takes text again, from the returned byte offset on. */
  resume(): number;
  /** Drops text that is not on the page yet. Returns the byte offset from which the page needs it again. */
  restart(): number;
  /** Marks a line and scrolls to it. Reports whether it is on the page, or will be. */
  show(line: number): boolean;
  /** Scrolls to the end and follows it as text arrives. Returns false if the window is full and does not hold the end. */
  showEnd(): boolean;
  stop(): void;
}

const utf8 = new TextEncoder();
const isAscii = (text: string): boolean => !/[\u0080-\uffff]/.test(text);
const bytesOf = (text: string, ascii: boolean): number => (ascii ? text.length : utf8.encode(text).length);
const lineCount = (text: string): number => text.split("\n").length - 1;

/** Runs `work` with the next frame, or soon if the page is hidden. */
function frames(work: () => void) {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
  };
  const run = () => {
    cancel();
    work();
  };
  return {
    cancel,
    request() {
      if (frame) return;
      frame = requestAnimationFrame(run);
      timer = setTimeout(run, hiddenMs);
    },
  };
}

/** Reports whether the reader sees the end of an output. */
export const isAtEnd = (root: Element): boolean => root.getBoundingClientRect().bottom <= innerHeight + 60;

/** Shows a part of an output in `root`. */
export function logView(root: HTMLElement, { job, onChange, ...options }: LogOptions): LogView {
  root.replaceChildren();
  const list = blockList(root);
  let writer = blockWriter(job, options, list.append);
  let parser = ansiParser();
  const times = timeQueue();
  let { wanted, follows } = options;
  let pending = "";
  let openBytes = 0;
  let open: HTMLElement | undefined;
  let full = false;
  let stopped = false;
  let waiting: (() => void)[] = [];
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
    const rest = ended.pop() ?? "";
    for (const [index, line] of lines.entries()) {
      writer.end(open, line, openBytes + bytesOf(ended[index] ?? "", ascii) + 1, times.current());
      times.next();
      open = undefined;
      openBytes = 0;
    }
    openBytes += bytesOf(rest, ascii);
    if (unfinished.length > 0) open = writer.grow(open, unfinished, times.current());
  }

  function draw(): void {
    const atEnd = isAtEnd(root);
    const text = pending.slice(0, cutIn(pending));
    pending = pending.slice(text.length);
    take(text);
    while (isOver() && atEnd) list.removeFirst();
    if (isOver()) full = true;
    changed();
    const line = wanted;
    if (line !== undefined) mark(line);
    else if (follows && atEnd)
      scrollBy({ top: Math.max(0, root.getBoundingClientRect().bottom - innerHeight + 16), behavior: "instant" });
    if (full) pending = "";
    if (pending) frame.request();
    if (pending.length < maxPending) release();
  }

  function mark(line: number): boolean {
    const element = document.getElementById(lineId(job, line));
    if (!element) return false;
    wanted = undefined;
    root.querySelector(".marked")?.classList.remove("marked");
    element.classList.add("marked");
    reveal(element);
    element.scrollIntoView({ block: "center", behavior: "instant" });
    return true;
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

    untimed: list.untimed,

    prepend(text, bytes) {
      const [before] = list.blocks;
      const from = (before?.from ?? options.from) - bytes;
      const first = before ? before.first : options.first;
      const added: Block[] = [];
      const start = { from, first: first === undefined ? undefined : first - lineCount(text) };
      const earlier = blockWriter(job, start, (block) => added.push(block));
      const ascii = isAscii(text);
      const raw = text.split("\n");
      const parsed = ansiParser().push(text);
      for (const [index, line] of parsed.lines.entries())
        earlier.end(undefined, line, bytesOf(raw[index] ?? "", ascii) + 1);
      const rest = raw.at(-1);
      if (rest) earlier.end(undefined, parsed.open, bytesOf(rest, ascii)).classList.add("piece");
      const top = before?.element.getBoundingClientRect().top;
      list.prepend(added);
      if (before && top !== undefined)
        scrollBy({ top: before.element.getBoundingClientRect().top - top, behavior: "instant" });
      while (isOver()) removeLast();
      if (full) pending = "";
      changed();
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
