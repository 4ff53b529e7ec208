import { pacer } from "@ci/kit/turns/pacer";
import type { GitObject } from "./pack.js";

export function headerOf({ data }: GitObject, name: string): string | undefined {
  const text = data.toString();
  const head = text.slice(0, Math.max(0, text.indexOf("\n\n")));
  return head
    .split("\n")
    .find((line) => line.startsWith(`${name} `))
    ?.slice(name.length + 1);
}

export function messageOf({ data }: GitObject): string {
  const text = data.toString();
  const end = text.indexOf("\n\n");
  return end < 0 ? "" : text.slice(end + 2).replace(/(?<!\n)\n+$/, "");
}

/** Returns who wrote a commit. Its header has the form `name <address> time zone`. */
export function authorOf(commit: GitObject): { author: string; email: string } {
  const [, author = "", email = ""] = /^(.*?) ?<([^<>]*)>/.exec(headerOf(commit, "author") ?? "") ?? [];
  return { author, email };
}

export interface TreeEntry {
  readonly kind: "file" | "directory" | "other";
  readonly name: string;
  readonly id: string;
  /** As git writes it: `100644`, `100755`, `120000` for a link, `40000` for a folder, `160000` for a submodule. */
  readonly mode: string;
}

const kinds = new Map<string, TreeEntry["kind"]>([
  ["100644", "file"],
  ["100755", "file"],
  ["40000", "directory"],
]);

/** A mode and a name, which is no longer than any path. */
const maxEntryBytes = 4_112;

/** Yields the entries of a directory. Symbolic links and submodules are of kind `other`. */
export function* entriesIn({ data }: GitObject, idBytes: number): Generator<TreeEntry> {
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    const end = data.indexOf(0, space);
    if (space < 0 || end < 0 || end - at > maxEntryBytes || end + 1 + idBytes > data.length)
      throw new Error("malformed directory");
    const mode = data.toString("latin1", at, space);
    at = end + 1 + idBytes;
    const id = data.toString("hex", end + 1, at);
    yield { kind: kinds.get(mode) ?? "other", name: data.toString("utf8", space + 1, end), id, mode };
  }
}

const sliceEntries = 5_000;

/** Returns the entries of a directory, which may be thousands, so other work of the process runs in between. */
export async function entriesOf(directory: GitObject, idBytes: number): Promise<TreeEntry[]> {
  const pace = pacer(sliceEntries);
  const entries: TreeEntry[] = [];
  for (const entry of entriesIn(directory, idBytes)) {
    entries.push(entry);
    await pace(1);
  }
  return entries;
}
