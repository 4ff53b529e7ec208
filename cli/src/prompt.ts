import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { exit, Failure } from "./exit.js";
import type { Io } from "./io.js";

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Asks for a line on the terminal. A hidden answer is not shown. */
async function ask({ stdin, stderr, signal }: Io, question: string, hidden: boolean): Promise<string> {
  if (hidden) stderr.write(question);
  const output = hidden ? nowhere() : (stderr as unknown as NodeJS.WritableStream);
  const lines = createInterface({ input: stdin, output, terminal: true });
  try {
    // In raw mode the terminal sends no signal.
    const interrupted = new Promise<never>((_, reject) => {
      for (const event of ["SIGINT", "close"])
        lines.once(event, () => reject(new Failure("Interrupted", exit.interrupted)));
    });
    return await Promise.race([lines.question(hidden ? "" : question, { signal }), interrupted]);
  } finally {
    lines.close();
    if (hidden) stderr.write("\n");
  }
}

export const promptSecret = (io: Io, question: string): Promise<string> => ask(io, question, true);

/** Asks for confirmation on the terminal. */
export const confirm = async (io: Io, question: string): Promise<boolean> =>
  /^y(es)?$/i.test((await ask(io, `${question} [y/N] `, false)).trim());
