import { Failure } from "./exit.js";
import { lostNote } from "./explain.js";
import { type Io, note, printJsonLine } from "./io.js";
import { outputPrinter } from "./output-printer.js";
import type { Session } from "./session.js";

type Following = NonNullable<Parameters<Session["client"]["follow"]>[1]>;

/** Prints output as it arrives, with each line's time on request, until its build or job ends. Returns the final status. */
export async function followOutput(
  io: Io,
  { client }: Session,
  path: string,
  { timestamps, waitsForServer }: Pick<Following, "timestamps" | "waitsForServer"> = {},
): Promise<string> {
  const { signal, options } = io;
  const printer = outputPrinter(io);
  let status: string | undefined;
  let connected = true;
  let waiting = "";
  const onConnection = (now: boolean, error?: unknown) => {
    if (now !== connected) note(io, now ? "Connected again" : lostNote(error));
    connected = now;
  };
  const onComment = (comment: string) => {
    if (comment !== "" && comment !== waiting) note(io, comment);
    waiting = comment || waiting;
  };
  try {
    for await (const event of client.follow(path, { signal, onConnection, onComment, timestamps, waitsForServer })) {
      if (options.json) await printJsonLine(io, event);
      if (event.event === "end") status = (event.data as { status: string }).status;
      else if (!options.json) await printer.push(String(event.data));
    }
  } finally {
    if (!options.json) await printer.end();
  }
  signal.throwIfAborted();
  if (status === undefined) throw new Failure("The output ended without a status; the build may still be running");
  return status;
}
