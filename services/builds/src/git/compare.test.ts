import { createHash } from "node:crypto";
import type { GitObject } from "@ci/git/pack";
import type { Remote } from "@ci/git/remote";
import { turnsDuring } from "@ci/testkit/turns-during";
import { changedBetween } from "./compare.js";

/** A repository in memory. Counts how often an object is asked for alone, as each reading of a folder does. */
function repository() {
  const objects = new Map<string, GitObject>();
  const asked = new Map<string, number>();
  const remote: Remote = {
    hash: "sha1",
    async get(...ids) {
      for (const id of ids.length === 1 ? ids : []) asked.set(id, (asked.get(id) ?? 0) + 1);
      return objects;
    },
    forget: () => undefined,
    find: async () => undefined,
    head: async () => undefined,
  };
  function put(type: GitObject["type"], data: Buffer): string {
    const id = createHash("sha1").update(`${type} ${data.length}\0`).update(data).digest("hex");
    objects.set(id, { type, data });
    return id;
  }
  const tree = (entries: Readonly<Record<string, string>>, mode = "40000") =>
    put(
      "tree",
      Buffer.concat(
        Object.entries(entries).flatMap(([name, id]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]),
      ),
    );
  const commit = (root: string) => put("commit", Buffer.from(`tree ${root}\n\nmessage`));
  return { remote, asked, tree, commit };
}

const named = (count: number, id: string, prefix = "") =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, id]));
const [one, two] = ["1".repeat(40), "2".repeat(40)];

test("a file of which only the mode changes is found", async () => {
  const { remote, tree, commit } = repository();
  const root = (mode: string) => commit(tree({ script: one }, mode));
  expect(await changedBetween(remote, root("100644"), root("100755"))).toEqual(["script"]);
  expect(await changedBetween(remote, root("100755"), root("100755"))).toEqual([]);
});

test("400 folders that change alike are read once, and each change is found", async () => {
  const { remote, asked, tree, commit } = repository();
  const same = named(30_000, one);
  const before = tree({ ...same, x: one }, "100644");
  const after = tree({ ...same, x: two }, "100644");
  const changed = changedBetween(remote, commit(tree(named(400, before, "d"))), commit(tree(named(400, after, "d"))));
  expect(await changed).toEqual(Array.from({ length: 400 }, (_, n) => `d${n}/x`));
  expect([asked.get(before), asked.get(after)]).toEqual([1, 1]);
});

test("499 new folders that are one folder of 33,000 folders are too many", async () => {
  const { remote, asked, tree, commit } = repository();
  const wide = tree(named(33_000, one));
  const changed = changedBetween(remote, commit(tree({})), commit(tree(named(499, wide, "d"))));
  expect(await changed).toBeUndefined();
  // Once for the level, and once to read it.
  expect(asked.get(wide)).toBe(2);
});

test("folders with too many entries together are too many, and other work gets its turn meanwhile", async () => {
  const { remote, asked, tree, commit } = repository();
  const same = named(30_000, one);
  const befores = Array.from({ length: 7 }, (_, n) => tree({ ...same, [`x${n}`]: one }, "100644"));
  const afters = Array.from({ length: 7 }, (_, n) => tree({ ...same, [`x${n}`]: two }, "100644"));
  const pairs = befores.flatMap((before) => afters.map((after) => [before, after] as const));
  const root = (at: 0 | 1) => commit(tree(Object.fromEntries(pairs.map((pair, n) => [`d${n}`, pair[at]]))));
  const work = changedBetween(remote, root(0), root(1));
  const turns = turnsDuring(work);
  expect(await work).toBeUndefined();
  expect(await turns).toBeGreaterThan(30);
  const reads = [...befores, ...afters].reduce((sum, id) => sum + (asked.get(id) ?? 0), 0);
  expect(reads).toBe(34);
});
