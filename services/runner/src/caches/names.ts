import { posix } from "node:path";
import type { Header } from "tar-stream";
import { type Layout, maxPathLength } from "../driver.js";

export type EntryHeader = Partial<Header> & Pick<Header, "name" | "type">;

/** Why an entry is left out. */
export type Skip =
  | "links that lead out of the workspace"
  | "special files"
  | "names that are too long"
  | "names that are not UTF-8"
  | "files that the build places";

/** Reports whether a path is a folder, or in it. The base of names is the folder "". */
export const isBelow = (name: string, folder: string): boolean =>
  folder === "" ? !name.startsWith("../") && name !== ".." : name === folder || name.startsWith(`${folder}/`);

function targetOf({ linkname }: Header, name: string, { isAbsolute }: Layout): string | undefined {
  if (!linkname) return undefined;
  if (!linkname.startsWith("/")) return posix.join(posix.dirname(name), linkname);
  return isAbsolute ? posix.normalize(linkname).replace(/^\/+/, "") : undefined;
}

const kinds = { file: "file", "contiguous-file": "file", directory: "directory", symlink: "symlink", link: "link" };

/** Returns the header for an entry of a cache, or why it is left out. An archive comes from jobs: nothing in it is trusted. */
export function headerOf(
  given: Header,
  folder: string,
  wanted: readonly string[],
  layout: Layout,
): EntryHeader | Skip | undefined {
  if (Math.max(given.name.length, given.linkname?.length ?? 0) > maxPathLength) return "names that are too long";
  const type = kinds[given.type as keyof typeof kinds] as EntryHeader["type"] | undefined;
  const name = posix.join(folder, given.name).replace(/\/+$/, "");
  if (!wanted.some((path) => isBelow(name, path))) return undefined;
  if (type === undefined) return "special files";
  if (`${name}${given.linkname ?? ""}`.includes("\uFFFD")) return "names that are not UTF-8";
  const common = { mode: (given.mode ?? 0o755) & 0o777, mtime: given.mtime, uid: given.uid, gid: given.gid };
  const header = { ...common, name: type === "directory" ? `${name}/` : name, type };
  if (type === "file") return { ...header, size: given.size ?? 0 };
  if (type === "directory") return header;
  const linked = posix.join(folder, given.linkname ?? "");
  const target = type === "link" ? given.linkname && linked : targetOf(given, name, layout);
  const isInside = target !== undefined && target !== "" && layout.roots.some((root) => isBelow(target ?? "", root));
  if (!isInside) return "links that lead out of the workspace";
  return { ...header, linkname: type === "link" ? linked : given.linkname! };
}

/** Returns a function that reports whether an entry would replace or link to one of these files, or is where one needs a folder. */
export function clashesWith(files: readonly string[]): (entry: EntryHeader) => boolean {
  const places: string[] = [];
  for (const place of files.map((file) => `${file}/`).sort())
    if (places.length === 0 || !place.startsWith(places.at(-1)!)) places.push(place);

  // No place lies in another. So only the last place up to a path can contain it, and only the next one can lie in it.
  function around(path: string): { readonly before: string | undefined; readonly after: string | undefined } {
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[middle]! <= path) low = middle + 1;
      else high = middle;
    }
    return { before: places[low - 1], after: places[low] };
  }
  const contains = (place: string | undefined, path: string) => place !== undefined && path.startsWith(place);

  return ({ name, type, linkname = "" }) => {
    if (type === "directory") return contains(around(name).before, name);
    const path = `${name}/`;
    const { before, after } = around(path);
    const target = `${linkname}/`;
    return (
      contains(before, path) ||
      after?.startsWith(path) === true ||
      (type === "link" && contains(around(target).before, target))
    );
  };
}
