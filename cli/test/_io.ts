import { Readable } from "node:stream";
import type { CommonOptions, Io, Sink } from "../src/io.js";

class Memory implements Sink {
  text = "";
  constructor(
    readonly isTTY: boolean,
    readonly columns: number | undefined,
  ) {}
  write(chunk: string | Uint8Array): boolean {
    this.text += Buffer.from(chunk).toString();
    return true;
  }
  once(): void {}
}

export interface Given {
  readonly tty?: boolean;
  readonly columns?: number;
  readonly env?: Io["env"];
  readonly options?: CommonOptions;
  readonly input?: string;
}

/** Returns what a command gets of its process, with streams in memory. */
export function ioOf({ tty = false, columns = 80, env = {}, options = {}, input = "" }: Given = {}) {
  const stdin = Object.assign(Readable.from([Buffer.from(input)]), { isTTY: tty });
  const stdout = new Memory(tty, tty ? columns : undefined);
  const stderr = new Memory(tty, tty ? columns : undefined);
  return { stdin, stdout, stderr, env, options, signal: new AbortController().signal, version: "1.2.3" } satisfies Io;
}
