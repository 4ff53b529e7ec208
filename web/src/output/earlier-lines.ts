import { ansiParser, type Line } from "../ansi.js";
import { cutIn, linesPerFrame, sequencesPerFrame } from "./frame-cut.js";
import { bytesOf, isAscii } from "./text-bytes.js";

export interface EarlierLine {
  readonly line: Line;
  /** With its line break. */
  readonly bytes: number;
  /** Whether the next line continues it. */
  readonly isPiece: boolean;
}

/** Gives the browser time for other work. */
export const pause = () => new Promise((resolve) => setTimeout(resolve));

/** Returns the lines of a text. Pauses often, so that the page stays responsive. */
export async function earlierLines(text: string): Promise<EarlierLine[]> {
  const parser = ansiParser();
  const found: EarlierLine[] = [];
  let open: Line = [];
  let openBytes = 0;
  for (let at = 0; at < text.length; await pause()) {
    const part = text.slice(at, at + cutIn(text.slice(at)));
    at += part.length;
    const pushed = parser.push(part);
    const raw = part.split("\n");
    const ascii = isAscii(part);
    for (const [nth, line] of pushed.lines.entries()) {
      found.push({ line, bytes: openBytes + bytesOf(raw[nth] ?? "", ascii) + 1, isPiece: false });
      openBytes = 0;
    }
    open = pushed.open;
    openBytes += bytesOf(raw.at(-1) ?? "", ascii);
  }
  if (openBytes > 0) found.push({ line: open, bytes: openBytes, isPiece: true });
  return found;
}

/** Divides lines into what one frame takes, the last part first. */
export function* partsFromEnd(lines: readonly EarlierLine[]): Generator<readonly EarlierLine[]> {
  for (let end = lines.length; end > 0; ) {
    let start = end;
    for (let spans = 0; start > 0 && end - start < linesPerFrame; start--) {
      spans += lines[start - 1]!.line.length;
      if (spans > sequencesPerFrame && start < end) break;
    }
    yield lines.slice(start, end);
    end = start;
  }
}
