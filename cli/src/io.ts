import { once } from "node:events";
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { Failure, UsageError } from "./exit.js";
import { visible } from "./format/visible.js";

/** A stream of the process: a terminal, a pipe or a file. */
export interface Sink {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(chunk: string | Uint8Array): boolean;
  once(event: "drain", listener: () => void): unknown;
}

/** Options that every command takes. */
export interface CommonOptions {
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly context?: string | undefined;
}

/** The parts of the process that a command uses. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** Replaces the default, which is to exit, for when the reader closes the output. */
  readonly onHangUp?: (listener: () => void) => void;
  readonly version: string;
  readonly options: CommonOptions;
}

/** Writes to standard output, with backpressure. */
export async function write({ stdout, signal }: Io, chunk: string | Uint8Array): Promise<void> {
  if (!stdout.write(chunk)) await once(stdout as never, "drain", { signal });
}

/** Prints a line on standard output. */
export const print = (io: Io, line: string): Promise<void> => write(io, `${line}\n`);

export function printJsonLine(io: Io, value: unknown): Promise<void> {
  const line = JSON.stringify(value);
  return print(io, io.stdout.isTTY ? visible(line) : line);
}

/** Prints an API response: indented on a terminal, on one line elsewhere. */
export function printJson(io: Io, body: unknown): Promise<void> {
  if (!io.stdout.isTTY) return printJsonLine(io, body);
  return print(io, JSON.stringify(body, null, 2).split("\n").map(visible).join("\n"));
}

/** Prints a note on standard error, unless `--quiet` is set. */
export function note(io: Pick<Io, "options" | "stderr">, line: string): void {
  if (!io.options.quiet) io.stderr.write(`${visible(line)}\n`);
}

export const showsProgress = ({ stderr, options }: Io): boolean => Boolean(stderr.isTTY) && !options.quiet;

/** Reads text from a stream. Throws if it is longer than `maxBytes`. */
async function readText(stream: Readable, name: string, maxBytes: number, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stop = () => stream.destroy();
  signal.addEventListener("abort", stop);
  try {
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new Failure(`${name} is larger than ${maxBytes} bytes`);
      chunks.push(Buffer.from(chunk));
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const maxFileBytes = 1_048_576;

/** Throws why a file that the user named cannot be read. */
export function throwUnreadable(path: string, error: NodeJS.ErrnoException): never {
  if (error.code === "ENOENT") throw new UsageError(`The file ${path} does not exist`);
  if (error.code === "EISDIR") throw new UsageError(`${path} is a folder. Name a file`);
  throw error;
}

/** Returns the text of a file, or of standard input for `-`. */
export async function readFileText({ stdin, signal }: Io, path: string): Promise<string> {
  if (path === "-") return readText(stdin, "Standard input", maxFileBytes, signal);
  try {
    return await readText(createReadStream(path), path, maxFileBytes, signal);
  } catch (error) {
    throwUnreadable(path, error as NodeJS.ErrnoException);
  }
}

/** Returns a secret option's value. For `-` it reads standard input, without the last line break. */
export async function readSecret(io: Io, value: string): Promise<string> {
  return value === "-" ? (await readFileText(io, "-")).replace(/\r?\n$/, "") : value;
}
