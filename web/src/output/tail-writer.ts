import { ansiParser } from "../ansi.js";
import { type Block, blockWriter, type Position } from "./blocks.js";
import { timeQueue } from "./line-time.js";
import { bytesOf, isAscii } from "./text-bytes.js";

/** Writes text after the last line on the page, into new blocks that `place` puts there. */
export function tailWriter(job: string, start: Position, place: (block: Block) => void) {
  let writer = blockWriter(job, start, place);
  let parser = ansiParser();
  const times = timeQueue();
  /** The line that has not ended yet. */
  let open: HTMLElement | undefined;
  let openBytes = 0;
  return {
    /** Keeps the times of a text until it is written, and returns it without. */
    withoutTimes: times.take,
    /** Byte offset after the last line that has ended. */
    position: () => writer.position(),

    write(text: string): void {
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
    },

    /** Shows what waits for the rest of an escape sequence. */
    end(): void {
      const line = parser.end();
      if (line.length > 0) open = writer.grow(open, line, times.current());
    },

    /** Goes back to a place that begins a line. */
    goTo(at: Position): void {
      writer = blockWriter(job, at, place);
      parser = ansiParser();
      open = undefined;
      openBytes = 0;
    },

    /** Forgets the times. Returns the byte offset of the text that it needs next. */
    restart(): number {
      times.restart(openBytes > 0);
      return writer.position() + openBytes;
    },
  };
}
