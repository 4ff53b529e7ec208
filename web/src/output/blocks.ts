import type { Line } from "../ansi.js";
import { lineId } from "../routes.js";
import type { EarlierLine } from "./earlier-lines.js";
import { addFold, isCommand, isFolded, setHidden } from "./folding.js";
import { nodesOf, plainText } from "./line-node.js";
import { lacksTimes, setTime } from "./line-time.js";

const linesPerBlock = 200;

/** Where lines begin in an output. */
export interface Position {
  /** Byte offset of the first line. */
  readonly from: number;
  /** Number of the first line, from 1; undefined if it is unknown. */
  readonly first: number | undefined;
}

/** Lines that follow one another, in an element of their own: out of sight it costs the browser nothing. */
export interface Block extends Position {
  readonly element: HTMLElement;
  lines: number;
  /** Whether all of its lines have their times and no more will come. */
  timed?: boolean;
}

/** Writes lines into new blocks that `place` puts on the page. */
export function blockWriter(job: string, { first, from }: Position, place: (block: Block) => void) {
  let next = first;
  let offset = from;
  let block: Block | undefined;
  let head: { readonly element: Element; readonly command: string } | undefined;

  function newLine(time: string | undefined): HTMLElement {
    if (!block || block.lines >= linesPerBlock) {
      const element = document.createElement("div");
      element.className = "block";
      block = { element, first: next, from: offset, lines: 0 };
      place(block);
    }
    block.lines++;
    const line = document.createElement("div");
    line.className = "line";
    if (next !== undefined) {
      line.id = lineId(job, next);
      const number = document.createElement("a");
      number.href = `#${line.id}`;
      number.dataset.line = String(next);
      number.tabIndex = -1;
      number.setAttribute("aria-label", `Line ${next}`);
      line.append(number);
      next++;
    }
    if (time !== undefined) setTime(line, time);
    block.element.append(line);
    return line;
  }

  function fill(element: HTMLElement, line: Line): void {
    const kept = element.querySelector("time") ?? element.querySelector("a[data-line]");
    while (element.lastChild && element.lastChild !== kept) element.lastChild.remove();
    element.append(...nodesOf(line));
  }

  return {
    /** Shows a line that may still grow. Returns its element, for the next call. */
    grow(element: HTMLElement | undefined, line: Line, time?: string): HTMLElement {
      const shown = element ?? newLine(time);
      fill(shown, line);
      return shown;
    },

    /** Shows a line that has ended, which took so many bytes. Returns its element. */
    end(element: HTMLElement | undefined, line: Line, bytes: number, time?: string): HTMLElement {
      const shown = element ?? newLine(time);
      fill(shown, line);
      offset += bytes;
      const text = plainText(line);
      if (isCommand(text)) {
        shown.classList.add("head");
        head = { element: shown, command: text };
      } else if (head) {
        addFold(head.element, head.command);
        if (isFolded(head.element)) setHidden(shown, true);
      }
      return shown;
    },

    /** Byte offset after the last line that has ended. */
    position: () => offset,
  };
}

/** Returns blocks of lines that stand before a position. `from` is their byte offset, if it is known better than by their bytes. */
export function blocksOf(job: string, lines: readonly EarlierLine[], end: Position, from?: number): Block[] {
  const blocks: Block[] = [];
  const whole = lines.filter(({ isPiece }) => !isPiece).length;
  const start = {
    from: from ?? end.from - lines.reduce((sum, { bytes }) => sum + bytes, 0),
    first: end.first === undefined ? undefined : end.first - whole,
  };
  const writer = blockWriter(job, start, (block) => blocks.push(block));
  for (const { line, bytes, isPiece } of lines) writer.end(undefined, line, bytes).classList.toggle("piece", isPiece);
  return blocks;
}

/** The blocks on the page, and how much they hold. */
export function blockList(root: HTMLElement) {
  const blocks: Block[] = [];
  const lines = () => blocks.reduce((sum, block) => sum + block.lines, 0);
  return {
    blocks,
    lines,
    /** Returns the first block that has lines without their times. */
    untimed: (): Block | undefined =>
      blocks.find((block) => {
        if (block.timed) return false;
        const lacks = lacksTimes(block.element);
        block.timed = !lacks && block !== blocks.at(-1);
        return lacks;
      }),
    append(block: Block): void {
      blocks.push(block);
      root.append(block.element);
    },
    prepend(added: readonly Block[]): void {
      blocks.unshift(...added);
      root.prepend(...added.map(({ element }) => element));
    },
    removeFirst(): void {
      blocks.shift()?.element.remove();
      // The command that hid these lines is gone.
      const line = blocks[0]?.element.firstElementChild;
      if (line instanceof HTMLElement && line.hidden) setHidden(line, false);
    },
    removeLast(): Block | undefined {
      const last = blocks.pop();
      last?.element.remove();
      return last;
    },
  };
}
