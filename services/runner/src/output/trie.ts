import type { Pace } from "@ci/kit/turns/pacer";

export const root = 1;
const none = -1;
/** Bytes or nodes between two calls of `pace`. */
export const stretch = 1_024;

/** A trie in arrays. Nodes count from 1. */
export interface Trie {
  readonly last: number;
  /** Returns the child of a node for a byte; 0 for none. */
  child(node: number, byte: number): number;
  readonly depths: Int32Array;
  /** The length of the word that ends at a node; 0 for none. */
  readonly matches: Int32Array;
}

/** What only the construction of an automaton needs. */
export interface Growth {
  readonly trie: Trie;
  readonly parents: Int32Array;
  readonly bytes: Uint8Array;
}

/** A node's first child is the next node. Other edges are in a map, which gets at most one for each word. */
function edges(size: number) {
  const onward = new Int16Array(size).fill(none);
  const branches = new Map<number, number>();
  return {
    child: (node: number, byte: number): number =>
      onward[node] === byte ? node + 1 : (branches.get(node * 256 + byte) ?? 0),
    add(node: number, byte: number, next: number): void {
      if (next === node + 1) onward[node] = byte;
      else branches.set(node * 256 + byte, next);
    },
  };
}

export async function growTrie(words: readonly Uint8Array[], pace: Pace): Promise<Growth> {
  const size = words.reduce((sum, word) => sum + word.length, 0) + 2;
  const { child, add } = edges(size);
  const parents = new Int32Array(size);
  const bytes = new Uint8Array(size);
  const depths = new Int32Array(size);
  const matches = new Int32Array(size);
  let last = root;

  function grow(node: number, byte: number): number {
    const next = ++last;
    add(node, byte, next);
    parents[next] = node;
    bytes[next] = byte;
    depths[next] = depths[node]! + 1;
    return next;
  }

  for (const word of words) {
    let node = root;
    for (let from = 0; from < word.length; from += stretch) {
      const part = word.subarray(from, from + stretch);
      for (const byte of part) node = child(node, byte) || grow(node, byte);
      await pace(part.length);
    }
    if (node !== root) matches[node] = word.length;
  }
  return { trie: { last, child, depths, matches }, parents, bytes };
}
