import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Pieces } from "./pieces.js";
import type { Secrets } from "./secrets.js";
import { masked } from "./texts.js";

const newline = 0x0a;
const maxLinesBytes = fixedLimit({
  max: 64 * 1024,
  unit: "bytes",
  about: "the runner's own lines in a job's output after it was truncated",
  effect: "lines that exceed it are left out, except for the last one",
});

/** Adds text to what waits, up to a limit, and the runner's lines after it. */
export function limitedText(waiting: Pieces, limitBytes: number, secrets: Secrets) {
  let roomBytes = limitBytes;
  let roomForLinesBytes = maxLinesBytes;
  let truncated = false;
  let atLineStart = true;
  let linesAdded: Promise<void> = Promise.resolve();

  /** Adds a line whatever its length. */
  function addLine(line: string): void {
    const text = line.replaceAll("\0", "NUL");
    waiting.add(Buffer.from(atLineStart ? `${text}\n` : `\n${text}\n`));
    atLineStart = true;
  }

  async function addMasked(line: string): Promise<void> {
    if (line.length >= roomForLinesBytes) return;
    const text = await masked(secrets, line);
    const bytes = Buffer.byteLength(text) + 1;
    if (bytes > roomForLinesBytes) return;
    roomForLinesBytes -= bytes;
    addLine(text);
  }

  return {
    isTruncated: () => truncated,
    keep(text: Buffer): void {
      if (text.length === 0 || truncated) return;
      const kept = waiting.add(text, roomBytes);
      roomBytes -= kept;
      if (kept > 0) atLineStart = text[kept - 1] === newline;
      if (kept === text.length) return;
      truncated = true;
      addLine(`-- output truncated after ${limitBytes - roomBytes} bytes --`);
    },
    addLine,
    /** Adds a line after the truncated text and earlier lines, with its secrets hidden. */
    addBeyond(line: string): Promise<void> {
      linesAdded = linesAdded.then(() => addMasked(line));
      return linesAdded;
    },
    linesAdded: () => linesAdded,
  };
}
