import { lineId } from "../routes.js";
import { type Block, blockList, blocksOf, type Position } from "./blocks.js";
import { type EarlierLine, earlierLines, partsFromEnd, pause } from "./earlier-lines.js";
import { joinFold, reveal, toggleFold } from "./folding.js";
import { frames } from "./frames.js";
import { pendingText } from "./pending-text.js";
import { readerOf } from "./reader.js";
import { tailWriter } from "./tail-writer.js";

/** What the page holds at once. Further lines replace those at the other end, which can be loaded again. */
const maxLines = 120_000;
const maxBytes = 16 * 1024 * 1024;

/** The part of the output that is on the page. */
export interface Window extends Position {
  readonly lines: number;
  /** Whether it takes no more lines at its end until `resume`. */
  readonly full: boolean;
  /** The line that was asked for, until it is on the page. */
  readonly wanted?: number | undefined;
}

export interface LogOptions extends Position {
  readonly job: string;
  /** Whether the page keeps showing the end while the reader is there. */
  readonly follows: boolean;
  /** Whether the page scrolls to its first lines, wherever the reader is. */
  readonly jumps: boolean;
  /** The line that the address names. */
  readonly wanted?: number | undefined;
  /** Whether the page may keep showing the end until the wanted line comes. */
  readonly waitsAtEnd: boolean;
  readonly onChange: (window: Window) => void;
}

function onClick({ target }: Event): void {
  const button = target instanceof Element ? target.closest(".fold") : null;
  if (button?.parentElement) toggleFold(button.parentElement);
}

/** Shows a part of an output in `root`. */
export class LogView {
  readonly #root: HTMLElement;
  readonly #options: LogOptions;
  readonly #list: ReturnType<typeof blockList>;
  readonly #tail: ReturnType<typeof tailWriter>;
  readonly #reader: ReturnType<typeof readerOf>;
  readonly #pending = pendingText();
  readonly #frame = frames(() => this.#draw());
  #follows: boolean;
  #jumps: boolean;
  #wanted: number | undefined;
  #isFull = false;
  #isStopped = false;

  constructor(root: HTMLElement, options: LogOptions) {
    root.replaceChildren();
    root.addEventListener("click", onClick);
    this.#root = root;
    this.#options = options;
    this.#list = blockList(root);
    this.#tail = tailWriter(options.job, options, this.#list.append);
    this.#reader = readerOf(root);
    this.#follows = options.follows;
    this.#jumps = options.jumps;
    this.#wanted = options.wanted;
  }

  /** Adds text at the end, with or without times. Resolves when the page is ready for more; with false if it takes no more. */
  async append(text: string, timed: boolean): Promise<boolean> {
    if (this.#isStopped || this.#isFull) return false;
    this.#pending.add(this.#tail.withoutTimes(text, timed));
    this.#frame.request();
    if (!this.#pending.hasRoom()) await this.#pending.released();
    return !this.#isStopped && !this.#isFull;
  }

  /** Resolves when all text is on the page. */
  async drawn(): Promise<void> {
    while (!this.#pending.isEmpty() && !this.#isStopped) await this.#pending.released();
  }

  /** Shows what waits for the rest of an escape sequence, because the output has ended. */
  end(): void {
    if (!this.#isFull) this.#tail.end();
    this.#changed();
  }

  /** Follows the end as text arrives, while the reader is there. */
  follow(): void {
    this.#follows = true;
    this.#reader.watch();
  }

  /** Reports whether the reader has scrolled elsewhere since a line was asked for that was not printed yet. */
  hasMoved(): boolean {
    return this.#reader.hasMoved();
  }

  /** Returns the first block that has lines without their times. */
  untimed(): Block | undefined {
    return this.#list.untimed();
  }

  /** Adds text before the first line, part by part. Its last line may be a piece of a longer one. */
  async prepend(text: string, bytes: number): Promise<void> {
    let [top] = this.#list.blocks;
    const start = this.#start().from - bytes;
    const lines = await earlierLines(text);
    let left = lines.length;
    for (const part of partsFromEnd(lines)) {
      if (this.#isStopped || this.#list.blocks[0] !== top) return;
      left -= part.length;
      this.#addBefore(part, left === 0 ? start : undefined);
      [top] = this.#list.blocks;
      if (lines.length - left > maxLines / 2) return;
      await pause();
    }
  }

  /** Takes text again, from the returned byte offset on. */
  resume(): number {
    this.#isFull = false;
    while (this.#holdsOver(0.5)) this.#list.removeFirst();
    this.#changed();
    return this.restart();
  }

  /** Drops text that is not on the page yet. Returns the byte offset from which the page needs it again. */
  restart(): number {
    this.#pending.drop();
    return this.#tail.restart();
  }

  /** Marks a line and scrolls to it. Reports whether it is on the page, or will be: one that begins with line 1 gets every other. */
  show(line: number): boolean {
    if (this.#mark(line, true)) return true;
    if (this.#list.blocks[0]?.first !== 1 || this.#isFull) return false;
    this.#wanted = line;
    this.#reader.watch();
    this.#changed();
    return true;
  }

  /** Scrolls to the end and follows it as text arrives. Returns false if the window is full and does not hold the end. */
  showEnd(): boolean {
    if (this.#isFull) return false;
    this.#follows = true;
    const last = this.#root.lastElementChild?.lastElementChild as HTMLElement | null | undefined;
    if (last) reveal(last);
    last?.scrollIntoView({ block: "nearest", behavior: "instant" });
    return true;
  }

  stop(): void {
    this.#isStopped = true;
    this.#frame.cancel();
    this.#pending.release();
    this.#reader.release();
    this.#root.removeEventListener("click", onClick);
  }

  /** Returns where the first line is, or will be. */
  #start(): Position {
    return this.#list.blocks[0] ?? this.#options;
  }

  /** Reports whether the page holds more than this share of what it may hold. */
  #holdsOver(share: number): boolean {
    const { blocks, lines } = this.#list;
    const bytes = () => this.#tail.position() - blocks[0]!.from;
    return blocks.length > 1 && (lines() > share * maxLines || bytes() > share * maxBytes);
  }

  #changed(): void {
    const { from, first } = this.#start();
    this.#options.onChange({ from, first, lines: this.#list.lines(), full: this.#isFull, wanted: this.#wanted });
  }

  #draw(): void {
    const moved = this.#reader.hasMoved();
    const atEnd = this.#jumps || this.#reader.seesEnd();
    this.#reader.release();
    this.#jumps = false;
    this.#tail.write(this.#pending.take());
    while (this.#holdsOver(1) && atEnd) this.#list.removeFirst();
    if (this.#holdsOver(1)) this.#isFull = true;
    this.#changed();
    const mayFollow = this.#wanted === undefined || this.#options.waitsAtEnd;
    const marked = this.#wanted !== undefined && this.#mark(this.#wanted, !moved);
    if (!marked && mayFollow && this.#follows && atEnd) this.#reader.holdAtEnd();
    if (this.#isFull) this.#pending.drop();
    if (!this.#pending.isEmpty()) this.#frame.request();
    if (this.#pending.hasRoom()) this.#pending.release();
  }

  #mark(line: number, scrolls: boolean): boolean {
    const element = document.getElementById(lineId(this.#options.job, line));
    if (!element) return false;
    this.#wanted = undefined;
    this.#changed();
    this.#root.querySelector(".marked")?.classList.remove("marked");
    element.classList.add("marked");
    reveal(element);
    if (scrolls) element.scrollIntoView({ block: "center", behavior: "instant" });
    return true;
  }

  /** Adds lines before the first. `from` is their byte offset, if it is known better than by their bytes. */
  #addBefore(part: readonly EarlierLine[], from?: number): void {
    const [before] = this.#list.blocks;
    const added = blocksOf(this.#options.job, part, this.#start(), from);
    const [last, next] = [added.at(-1)?.element.lastElementChild, before?.element.firstElementChild];
    if (last && next) joinFold(last, next);
    if (before && part.at(-1)?.isPiece) {
      next?.removeAttribute("id");
      before.lines--;
    }
    const top = before?.element.getBoundingClientRect().top;
    this.#list.prepend(added);
    if (before && top !== undefined)
      scrollBy({ top: before.element.getBoundingClientRect().top - top, behavior: "instant" });
    while (this.#holdsOver(1)) this.#removeLast();
    if (this.#isFull) this.#pending.drop();
    this.#changed();
  }

  /** Makes room at the end. Text that arrives there has a gap before it, so none is taken until it is loaded again. */
  #removeLast(): void {
    const last = this.#list.removeLast();
    if (!last) return;
    this.#isFull = true;
    this.#tail.goTo(last);
  }
}
