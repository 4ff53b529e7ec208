import { ansiParser, type Line, type Span } from "../ansi.js";
import { lineId } from "../routes.js";

const linesPerBlock = 200;
/** Further blocks replace the first ones, so that an endless output cannot fill the browser's memory. */
const maxBlocks = 1_500;
/** How much text one frame takes, so that the page stays responsive while much arrives. */
const textPerFrame = 128 * 1024;

const names = ["bold", "dim", "italic", "underline", "strike", "inverse"] as const;

/** Returns the colour of the xterm palette from 16 on. */
function paletteColour(index: number): string {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const level = (part: number) => (part === 0 ? 0 : 55 + part * 40);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36))} ${level(Math.floor(cube / 6) % 6)} ${level(cube % 6)})`;
}

const cssColour = (colour: number | string): string => (typeof colour === "string" ? colour : paletteColour(colour));

/** The 16 basic colours are classes, so that the style sheet can fit them to dark and light. */
function nodeOf({ text, style }: Span): Node {
  const classes: string[] = names.filter((name) => style[name]).map((name) => `ansi-${name}`);
  const { colour, background } = style;
  if (typeof colour === "number" && colour < 16) classes.push(`ansi-fg-${colour}`);
  if (typeof background === "number" && background < 16) classes.push(`ansi-bg-${background}`);
  const own = (value: number | string | undefined): value is number | string =>
    value !== undefined && !(typeof value === "number" && value < 16);
  if (classes.length === 0 && !own(colour) && !own(background)) return document.createTextNode(text);
  const span = document.createElement("span");
  span.className = classes.join(" ");
  if (own(colour)) span.style.color = cssColour(colour);
  if (own(background)) span.style.backgroundColor = cssColour(background);
  span.textContent = text;
  return span;
}

export interface LogOptions {
  readonly job: string;
  /** Whether lines have numbers. They have none if the beginning is missing. */
  readonly numbered: boolean;
  /** Whether the page keeps showing the end while the reader is there. */
  readonly follows: boolean;
  /** The line that the address names. */
  readonly wanted?: number | undefined;
  /** Called with the number of lines so far, and of the first ones that are no longer there. */
  readonly onLines: (count: number, dropped: number) => void;
}

export interface LogView {
  append(text: string): void;
  /** Marks a line and scrolls to it. */
  show(line: number): void;
  stop(): void;
}

const isAtEnd = (): boolean => innerHeight + scrollY >= document.documentElement.scrollHeight - 60;

/** Shows output in `root`, and only ever appends to it. Blocks out of sight cost the browser nothing. */
export function logView(root: HTMLElement, { job, numbered, follows, onLines, ...options }: LogOptions): LogView {
  const parser = ansiParser();
  let { wanted } = options;
  let pending = "";
  let frame = 0;
  let count = 0;
  let dropped = 0;
  let block: HTMLElement | undefined;
  let open: HTMLElement | undefined;
  let marked: HTMLElement | undefined;

  function newLine(): HTMLElement {
    if (!block || block.childElementCount >= linesPerBlock) {
      block = document.createElement("div");
      block.className = "block";
      root.append(block);
      if (root.childElementCount > maxBlocks) {
        root.firstElementChild?.remove();
        dropped += linesPerBlock;
      }
    }
    count++;
    const line = document.createElement("div");
    line.className = "line";
    if (numbered) {
      line.id = lineId(job, count);
      const number = document.createElement("a");
      number.href = `#${line.id}`;
      number.dataset.line = String(count);
      number.tabIndex = -1;
      number.setAttribute("aria-label", `Line ${count}`);
      line.append(number);
    }
    block.append(line);
    return line;
  }

  function fill(element: HTMLElement, line: Line): void {
    while (element.lastChild && !(numbered && element.lastChild === element.firstChild)) element.lastChild.remove();
    // Without a child, an empty line would have no height.
    element.append(...(line.length > 0 ? line.map(nodeOf) : [document.createTextNode("\u200b")]));
  }

  function draw(): void {
    frame = 0;
    const follow = follows && wanted === undefined && isAtEnd();
    const text = pending.slice(0, textPerFrame);
    pending = pending.slice(text.length);
    const { lines, open: unfinished } = parser.push(text);
    for (const line of lines) {
      fill(open ?? newLine(), line);
      open = undefined;
    }
    if (unfinished.length > 0) {
      open ??= newLine();
      fill(open, unfinished);
    }
    onLines(count, dropped);
    if (wanted !== undefined && count >= wanted) show(wanted);
    if (follow) scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
    if (pending) schedule();
  }

  const schedule = () => {
    frame ||= requestAnimationFrame(draw);
  };

  function show(line: number): void {
    wanted = line;
    const element = document.getElementById(lineId(job, line));
    if (!element) return;
    wanted = undefined;
    marked?.classList.remove("marked");
    marked = element;
    element.classList.add("marked");
    element.scrollIntoView({ block: "center", behavior: "instant" });
  }

  return {
    append(text) {
      pending += text;
      schedule();
    },
    show,
    stop: () => cancelAnimationFrame(frame),
  };
}
