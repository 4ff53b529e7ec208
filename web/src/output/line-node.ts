import type { Line, Span } from "../ansi.js";

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
function spanNode({ text, style }: Span): Node {
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

/** Returns what shows a line. Without a child, an empty line would have no height. */
export const nodesOf = (line: Line): Node[] =>
  line.length > 0 ? line.map(spanNode) : [document.createTextNode("\u200b")];

export const plainText = (line: Line): string => line.map(({ text }) => text).join("");
