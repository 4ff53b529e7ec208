import type { Pace } from "@ci/kit/turns/pacer";
import { type Growth, growTrie, root, stretch, type Trie } from "./trie.js";

export interface Automaton {
  readonly empty: boolean;
  readonly longest: number;
  /** Reports whether a word starts with a byte that has these upper six bits. */
  startsWith(upperBits: number): boolean;
  readonly start: number;
  step(state: number, byte: number): number;
  /** How many of the last bytes may be the start of a word. */
  depth(state: number): number;
  /** The length of the longest word that ends here; 0 for none. */
  matched(state: number): number;
}

/** Sorts all nodes except the root by depth (counting sort). */
function byDepth({ depths, last }: Trie): Int32Array {
  const deepest = depths.reduce((max, depth) => Math.max(max, depth), 0);
  const from = new Int32Array(deepest + 2);
  for (let node = root + 1; node <= last; node++) from[depths[node]! + 1]!++;
  for (let depth = 1; depth < from.length; depth++) from[depth]! += from[depth - 1]!;
  const sorted = new Int32Array(last - root);
  for (let node = root + 1; node <= last; node++) sorted[from[depths[node]!]!++] = node;
  return sorted;
}

/** Returns the transitions. `fallback` is the next state if no edge fits: the longest suffix that starts a word. */
function transitions({ child, depths, matches }: Trie, fallback: Int32Array): Pick<Automaton, "step"> & Tables {
  const first = Int32Array.from({ length: 256 }, (_, byte) => child(root, byte) || root);
  return {
    first,
    step(state, byte) {
      for (let node = state; node > root; node = fallback[node]!) {
        const next = child(node, byte);
        if (next !== 0) return next;
      }
      return first[byte]!;
    },
    depth: (state) => depths[state]!,
    matched: (state) => matches[state]!,
  };
}
type Tables = Pick<Automaton, "depth" | "matched"> & { readonly first: Int32Array };

/** Sets the fallback of each node. It is always shallower than the node. */
async function addFallbacks(
  { trie, parents, bytes }: Growth,
  step: Automaton["step"],
  fallback: Int32Array,
  pace: Pace,
) {
  const { matches } = trie;
  const nodes = byDepth(trie);
  for (let from = 0; from < nodes.length; from += stretch) {
    for (const node of nodes.subarray(from, from + stretch)) {
      const parent = parents[node]!;
      fallback[node] = parent === root ? root : step(fallback[parent]!, bytes[node]!);
      if (matches[node] === 0) matches[node] = matches[fallback[node]!]!;
    }
    await pace(stretch);
  }
}

/** Builds an Aho-Corasick automaton: memory and time are linear in the words, searches are linear in the text. */
export async function automaton(words: readonly Uint8Array[], pace: Pace): Promise<Automaton> {
  const growth = await growTrie(words, pace);
  const { last } = growth.trie;
  const fallback = new Int32Array(last + 1);
  const { first, ...steps } = transitions(growth.trie, fallback);
  await addFallbacks(growth, steps.step, fallback, pace);
  const begins = Uint8Array.from({ length: 64 }, (_, bits) =>
    Number([0, 1, 2, 3].some((low) => first[4 * bits + low] !== root)),
  );
  return {
    ...steps,
    empty: last === root,
    longest: words.reduce((max, { length }) => Math.max(max, length), 0),
    startsWith: (upperBits) => begins[upperBits >> 2] === 1,
    start: root,
  };
}
