import { Fault } from "@ci/kit/rpc/fault";
import type { Found } from "../../driver.js";

/* What our shells print. Processes of the same user may open a shell's output and write to it without end. */

const kinds: Readonly<Record<string, Found["kind"]>> = { f: "file", l: "link", d: "directory", o: "other" };

const maxEntryBytes = 128 * 1024;
const maxLineBytes = 64;

const forged = () => new Fault("precondition", "a process of the job interfered with reading it");

/** Reads kind and path of each entry below a folder, with a zero byte after each. */
export async function* entriesIn(output: AsyncIterable<Uint8Array>, folder: string): AsyncGenerator<Found> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of output) {
    rest = Buffer.concat([rest, bytes]);
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      const [kind, path] = [kinds[rest.toString("utf8", 0, 1)], rest.toString("utf8", 1, end)];
      if (!kind || !path.startsWith(folder)) throw forged();
      yield { path: path.slice(folder.length).replace(/^\/+/, ""), kind };
      rest = rest.subarray(end + 1);
    }
    if (rest.length > maxEntryBytes) throw forged();
  }
}

/** Splits the output into its first line, which is short, and the rest. */
export async function headOf(
  output: AsyncIterator<Uint8Array>,
): Promise<{ line: string; rest: Uint8Array } | undefined> {
  let seen = Buffer.alloc(0);
  for (;;) {
    const end = seen.indexOf("\n");
    if (end >= 0) return { line: seen.toString("utf8", 0, end), rest: seen.subarray(end + 1) };
    if (seen.length > maxLineBytes) throw forged();
    const { value, done } = await output.next();
    if (done) return undefined;
    seen = Buffer.concat([seen, value]);
  }
}
