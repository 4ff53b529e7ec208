import { authorOf, entriesOf, headerOf, messageOf } from "@ci/git/objects";
import type { GitObject } from "@ci/git/pack";
import type { Remote } from "@ci/git/remote";
import { fixedLimit } from "@ci/kit/process/fixed-limit";

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

/** Reads up to `most` manifests at a commit: `.service-ci.yml`, and the `.yml` files in `.service-ci`. */
export async function readManifests(remote: Remote, sha: string, most: number): Promise<CommitFound> {
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
  const objects = files.length > 0 ? await remote.get(...files.map(({ id }) => id)) : new Map();
  const manifests = files.map(({ name: path, id }) => ({ path, text: objects.get(id)!.data.toString() as string }));
  manifests.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  return { sha: commit.id, message: messageOf(commit.object), ...authorOf(commit.object), manifests };
}
