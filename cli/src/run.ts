import { CommanderError } from "commander";
import { exit } from "./exit.js";
import { visible } from "./format/visible.js";
import type { Io } from "./io.js";
import { type Parsed, programOf } from "./program.js";
import { names } from "./table.js";

/** Runs a command line. Returns the exit code. */
export async function run(words: readonly string[], process: Omit<Io, "options">): Promise<number> {
  let parsed: Parsed | undefined;
  const program = programOf(
    names,
    {
      version: process.version,
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
      columns: process.stdout.columns || undefined,
    },
    async (given) => {
      parsed = given;
    },
  );
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exit.done : exit.usage;
  }
  return parsed ? runParsed({ ...process, options: parsed.options }, parsed) : exit.done;
}

async function runParsed(io: Io, { name, input }: Parsed): Promise<number> {
  try {
    const handler = await handlerOf(name);
    const code = await handler(io, input);
    return code ?? (io.signal.aborted ? exit.interrupted : exit.done);
  } catch (error) {
    if (io.signal.aborted) return exit.interrupted;
    const { explain } = await import("./explain.js");
    const { message, code } = explain(error);
    io.stderr.write(`${message.split("\n").map(visible).join("\n")}\n`);
    return code;
  }
}

type AnyHandler = (io: Io, input: Parsed["input"]) => Promise<number | undefined>;

async function handlerOf(name: string): Promise<AnyHandler> {
  const { loaders } = await import("./loaders.js");
  if (Object.hasOwn(loaders, name)) return (await loaders[name as keyof typeof loaders]()).run as unknown as AnyHandler;
  const { operate } = await import("./operate.js");
  return operate(name);
}
