/** The style of a piece of output. Colours are 0 to 255 of the xterm palette, or `#rrggbb`. */
export interface Style {
  readonly colour?: number | string;
  readonly background?: number | string;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly inverse?: boolean;
}

export interface Span {
  readonly text: string;
  readonly style: Style;
}

export type Line = readonly Span[];

export interface Pushed {
  /** Lines that have ended. */
  readonly lines: readonly Line[];
  /** The line that is still open. */
  readonly open: Line;
}

const plain: Style = {};
/** Longer lines are cut, so that one line cannot freeze the page. */
const maxLineLength = 20_000;
const maxLineSpans = 1_000;
const cutMark = " … (cut here; the raw output has all of it)";
/** Longer sequences are not escape sequences. */
const maxSequenceLength = 256;

const pieces =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x1b\\|\x07)|\x1b[ -/]*[0-~]|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const unfinished = /\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\n]*\x1b?|[ -/]*)$/;

const flags: Readonly<Record<number, Partial<Style>>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
};

const hex = (part: number | undefined): string =>
  Math.min(part ?? 0, 255)
    .toString(16)
    .padStart(2, "0");

/** Reads `5;n` or `2;r;g;b` and removes it from the codes. */
function extended(codes: number[]): number | string | undefined {
  const kind = codes.shift();
  if (kind === 5) return Math.min(codes.shift() ?? 0, 255);
  if (kind !== 2) return undefined;
  const [r, g, b] = codes.splice(0, 3);
  return `#${hex(r)}${hex(g)}${hex(b)}`;
}

/** Returns the style after a sequence that ends with `m`. */
function restyled(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let next: Style = style;
  for (let code = codes.shift(); code !== undefined; code = codes.shift()) {
    if (code === 0) next = plain;
    else if (flags[code]) next = { ...next, ...flags[code] };
    else if (code >= 30 && code <= 37) next = { ...next, colour: code - 30 };
    else if (code >= 90 && code <= 97) next = { ...next, colour: code - 82 };
    else if (code >= 40 && code <= 47) next = { ...next, background: code - 40 };
    else if (code >= 100 && code <= 107) next = { ...next, background: code - 92 };
    else if (code === 38) next = { ...next, colour: extended(codes) };
    else if (code === 48) next = { ...next, background: extended(codes) };
    else if (code === 39) next = { ...next, colour: undefined };
    else if (code === 49) next = { ...next, background: undefined };
  }
  return next;
}

export interface AnsiParser {
  push(text: string): Pushed;
  /** Returns the open line after the last text, with a sequence that has not ended. */
  end(): Line;
}

/**
 * Returns a parser of terminal output. It keeps colours, treats a lone `\r` as the start of a new version of the line,
 * and drops every other sequence whole, also one that is split between two calls. Every `\n` ends a line.
 */
export function ansiParser(): AnsiParser {
  let rest = "";
  let style = plain;
  let open: Span[] = [];
  let length = 0;
  let cut = false;
  let returned = false;

  const clear = () => {
    open = [];
    length = 0;
    cut = false;
    returned = false;
  };

  function write(text: string): void {
    if (returned) clear();
    if (cut) return;
    const last = open.at(-1);
    const isFull = last?.style !== style && open.length >= maxLineSpans;
    const fits = isFull ? "" : text.slice(0, maxLineLength - length);
    length += fits.length;
    if (last?.style === style) open[open.length - 1] = { text: last.text + fits, style };
    else if (fits) open.push({ text: fits, style });
    cut = fits.length < text.length;
    if (cut) open.push({ text: cutMark, style: { dim: true } });
  }

  function backspace(): void {
    if (cut) return;
    const last = open.pop();
    if (last && last.text.length > 1) open.push({ text: last.text.slice(0, -1), style: last.style });
    if (last) length--;
  }

  /** Takes text that does not end in a sequence. Returns the lines that have ended. */
  function take(text: string): Line[] {
    const lines: Line[] = [];
    for (const [piece, parameters = "", final] of text.matchAll(pieces)) {
      if (piece === "\n") {
        lines.push(open);
        clear();
      } else if (piece === "\r") returned = true;
      else if (piece === "\b") backspace();
      else if (final === "m" && piece.length <= maxSequenceLength) style = restyled(style, parameters);
      else if (final === "K" && parameters === "2") clear();
      else if (piece === "\t" || (piece >= " " && piece !== "\x7f")) write(piece);
    }
    return lines;
  }

  return {
    push(text) {
      const all = rest + text;
      rest = unfinished.exec(all.slice(-maxSequenceLength))?.[0] ?? "";
      const lines = take(all.slice(0, all.length - rest.length));
      return { lines, open };
    },
    end() {
      take(rest);
      rest = "";
      return open;
    },
  };
}
