import { Failure } from "./exit.js";
import { lostNote } from "./explain.js";
import { hasColors } from "./format/paint.js";
import { filterFor } from "./format/safe-output.js";
import { type Io, note, printJsonLine, write } from "./io.js";
import type { Session } from "./session.js";

/** Prints output as it arrives, with each line's time on request, until its build or job ends. Returns the final status. */
export async function followOutput(io: Io, { client }: Session, path: string, timestamps = false): Promise<string> {
  const { signal, options, stdout } = io;
  const filter = filterFor(stdout);
  let status: string | undefined;
  let endsLine = true;
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
  const show = async (text: string) => {
    if (text === "") return;
    endsLine = text.endsWith("\n");
    await write(io, text);
  };
  for await (const event of client.follow(path, { signal, onConnection, onComment, timestamps })) {
    if (options.json) await printJsonLine(io, event);
    if (event.event === "end") status = (event.data as { status: string }).status;
    else if (!options.json) await show(filter.push(String(event.data)));
  }
  await show(filter.end());
  if (hasColors(io, stdout) && !options.json) await write(io, "\u001b[0m");
  if (!endsLine && stdout.isTTY) await write(io, "\n");
  signal.throwIfAborted();
  if (status === undefined) throw new Failure("The output ended without a status; the build may still be running");
  return status;
}
