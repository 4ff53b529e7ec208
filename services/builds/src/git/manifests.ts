import { authorOf, entriesOf, headerOf, messageOf } from "@ci/git/objects";
import type { GitObject } from "@ci/git/pack";
import type { Remote } from "@ci/git/remote";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { pacer } from "@ci/kit/turns/pacer";

export interface CommitFound {
  readonly sha: string;
  readonly message: string;
  readonly author: string;
  readonly email: string;
  /** By path, in lexical order. */
  readonly manifests: readonly { readonly path: string; readonly text: string }[];
}

const single = ".service-ci.yml";
const folder = ".service-ci";
const maxTagDepth = fixedLimit({
  max: 5,
  about: "tags that point to tags",
  effect: "the commit makes no build; its status is an error",
});
/** A commit with its message, or a directory of some 25,000 names: it is read at once. */
const maxDescriptionBytes = fixedLimit({
  max: 1024 ** 2,
  unit: "bytes",
  about: "a commit, tag or folder of a repository",
  effect: "the commit makes no build; its status is an error",
});

export async function describe(remote: Remote, id: string): Promise<GitObject> {
  const object = (await remote.get(id)).get(id)!;
  if (object.data.length > maxDescriptionBytes) throw new Error(`${object.type} too large`);
  return object;
}

export async function commitOf(remote: Remote, sha: string) {
  let id = sha;
  for (let depth = 0; depth < maxTagDepth; depth++) {
    const object = await describe(remote, id);
    if (object.type === "commit") return { id, object };
    if (object.type !== "tag") break;
    id = headerOf(object, "object") ?? "";
  }
  throw new Error("not a commit");
}

const sliceBytes = 1024 ** 2;

async function textsOf(remote: Remote, ids: Set<string>, maxBytes: number): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  if (ids.size === 0) return texts;
  const objects = await remote.get(...ids);
  const pace = pacer(sliceBytes);
  for (const id of ids) {
    const bytes = objects.get(id)!.data.subarray(0, maxBytes + 1);
    texts.set(id, bytes.toString());
    await pace(bytes.length);
  }
  return texts;
}

/** Reads up to `most` manifests at a commit: whole, or the beginning of those that exceed `maxBytes`. */
export async function readManifests(
  remote: Remote,
  sha: string,
  { most, maxBytes }: { readonly most: number; readonly maxBytes: number },
): Promise<CommitFound> {
  const idBytes = remote.hash === "sha1" ? 20 : 32;
  const list = async (id: string) => entriesOf(await describe(remote, id), idBytes);
  const commit = await commitOf(remote, sha);
  const root = await list(headerOf(commit.object, "tree") ?? "");
  const directory = root.find(({ kind, name }) => kind === "directory" && name === folder);
  const inFolder = (directory ? await list(directory.id) : []).filter(({ name }) => name.endsWith(".yml"));
  const all = [
    ...root.filter(({ name }) => name === single),
    ...inFolder.map((file) => ({ ...file, name: `${folder}/${file.name}` })),
  ].filter(({ kind }) => kind === "file");
  const files = all.slice(0, most);
  const texts = await textsOf(remote, new Set(files.map(({ id }) => id)), maxBytes);
  const manifests = files.map(({ name: path, id }) => ({ path, text: texts.get(id)! }));
  manifests.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  return { sha: commit.id, message: messageOf(commit.object), ...authorOf(commit.object), manifests };
}
