import { filterFor } from "./format/safe-output.js";
import { type Io, write } from "./io.js";

export interface OutputPrinter {
  push(text: string): Promise<void>;
  /** Leaves a terminal with its own colors, at the beginning of a line. */
  end(): Promise<void>;
}

/** Returns a printer that lets nothing through that could control a terminal. Elsewhere it changes nothing. */
export function outputPrinter(io: Io): OutputPrinter {
  const filter = filterFor(io.stdout);
  let endsLine = true;
  let hasColors = false;
  const show = async (text: string) => {
    if (text === "") return;
    endsLine = text.endsWith("\n");
    hasColors ||= text.includes("\u001b");
    await write(io, text);
  };
  return {
    push: (text) => show(filter.push(text)),
    async end() {
      await show(filter.end());
      if (io.stdout.isTTY) await write(io, `${hasColors ? "\u001b[0m" : ""}${endsLine ? "" : "\n"}`);
    },
  };
}
