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

const root = 1;
const none = -1;

/** A trie in arrays: a node's first child is the next node, other edges are in a map. Nodes count from 1. */
function tree(words: readonly Uint8Array[]) {
  const size = words.reduce((sum, word) => sum + word.length, 0) + 2;
  const onward = new Int16Array(size).fill(none);
  const branches = new Map<number, number>();
  const parents = new Int32Array(size);
  const bytes = new Uint8Array(size);
  const depths = new Int32Array(size);
  const matches = new Int32Array(size);
  let last = root;

  const child = (node: number, byte: number): number =>
    onward[node] === byte ? node + 1 : (branches.get(node * 256 + byte) ?? 0);

  function grow(node: number, byte: number): number {
    const next = ++last;
    if (next === node + 1) onward[node] = byte;
    else branches.set(node * 256 + byte, next);
    parents[next] = node;
    bytes[next] = byte;
    depths[next] = depths[node]! + 1;
    return next;
  }

  for (const word of words) {
    let node = root;
    for (const byte of word) node = child(node, byte) || grow(node, byte);
    if (node !== root) matches[node] = word.length;
  }
  return { last, child, parents, bytes, depths, matches };
}

/** Sorts all nodes except the root by depth (counting sort). */
function byDepth(depths: Int32Array, last: number): Int32Array {
  const deepest = depths.reduce((max, depth) => Math.max(max, depth), 0);
  const from = new Int32Array(deepest + 2);
  for (let node = root + 1; node <= last; node++) from[depths[node]! + 1]!++;
  for (let depth = 1; depth < from.length; depth++) from[depth]! += from[depth - 1]!;
  const sorted = new Int32Array(last - root);
  for (let node = root + 1; node <= last; node++) sorted[from[depths[node]!]!++] = node;
  return sorted;
}

/** Builds an Aho-Corasick automaton: memory is linear in the words, time in the text. */
export function automaton(words: readonly Uint8Array[]): Automaton {
  const { last, child, parents, bytes, depths, matches } = tree(words);
  // The next state if no edge fits: the longest suffix that starts a word.
  const fallback = new Int32Array(last + 1);
  const first = Int32Array.from({ length: 256 }, (_, byte) => child(root, byte) || root);

  function step(state: number, byte: number): number {
    for (let node = state; node > root; node = fallback[node]!) {
      const next = child(node, byte);
      if (next !== 0) return next;
    }
    return first[byte]!;
  }

  // A fallback is always shallower than its node.
  for (const node of byDepth(depths, last)) {
    const parent = parents[node]!;
    fallback[node] = parent === root ? root : step(fallback[parent]!, bytes[node]!);
    if (matches[node] === 0) matches[node] = matches[fallback[node]!]!;
  }
  const begins = Uint8Array.from({ length: 64 }, (_, bits) =>
    Number([0, 1, 2, 3].some((low) => first[4 * bits + low] !== root)),
  );
  return {
    empty: last === root,
    longest: words.reduce((max, { length }) => Math.max(max, length), 0),
    startsWith: (upperBits) => begins[upperBits >> 2] === 1,
    start: root,
    step,
    depth: (state) => depths[state]!,
    matched: (state) => matches[state]!,
  };
}
