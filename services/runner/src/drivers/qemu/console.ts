import type { Readable } from "node:stream";

const maxCharacters = 16 * 1024;
const maxLines = 100;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a console is full of them
const escapeSequences = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[ -~])|[\x00-\x08\x0b-\x1f\x7f]/g;

/** Keeps the end of what a machine prints. Returns a function that gives the last lines as plain text. */
export function openConsole(streams: readonly Readable[]): () => string[] {
  let text = "";
  for (const stream of streams) {
    stream.setEncoding("utf8");
    stream.on("data", (piece: string) => {
      text = (text + piece).slice(-maxCharacters);
    });
    stream.on("error", () => undefined);
  }
  return () => {
    const lines = text
      .replaceAll(/(?<!\r)\r+\n/g, "\n")
      .replaceAll("\r", "\n")
      .replaceAll(escapeSequences, "")
      .split("\n");
    return lines.filter((line) => line.trim() !== "").slice(-maxLines);
  };
}
