/** Finds many words at once in a stream of bytes, one step a byte. */
export interface Automaton {
  /** Nothing to find. */
  readonly empty: boolean;
  /** The state before the first byte. */
  readonly start: number;
  /** The state after one more byte. */
  step(state: number, byte: number): number;
  /** How many of the last bytes may be the start of a word. */
  depth(state: number): number;
  /** The length of the longest word that ends here; 0 for none. */
  matched(state: number): number;
}

/** Numbers to numbers, in two arrays: a step for each byte of the output has no time for more. Keys are above 0. */
function numberMap(capacity: number) {
  const size = 2 ** Math.ceil(Math.log2(capacity * 2 + 2));
  const keys = new Int32Array(size);
  const values = new Int32Array(size);
  function slot(key: number): number {
    let at = (Math.imul(key, 0x9e3779b1) >>> 8) & (size - 1);
    while (keys[at] !== 0 && keys[at] !== key) at = (at + 1) & (size - 1);
    return at;
  }
  return {
    /** 0 for none. */
    get: (key: number): number => values[slot(key)]!,
    set(key: number, value: number): void {
      const at = slot(key);
      keys[at] = key;
      values[at] = value;
    },
  };
}

/** From a node by a byte. Nodes count from 1, so that no edge is 0. */
const edge = (node: number, byte: number) => node * 256 + byte;
const root = 1;

/** The tree of all words. Children come after their parents in no certain depth: `byDepth` has them sorted. */
function tree(words: readonly Uint8Array[]) {
  const most = words.reduce((sum, word) => sum + word.length, 0);
  const edges = numberMap(most);
  const depths = new Int32Array(most + 2);
  const matches = new Int32Array(most + 2);
  const nodes: { parent: number; byte: number; node: number }[] = [];
  for (const word of words) {
    let node = root;
    for (const byte of word) {
      let next = edges.get(edge(node, byte));
      if (next === 0) {
        next = root + 1 + nodes.length;
        nodes.push({ parent: node, byte, node: next });
        edges.set(edge(node, byte), next);
        depths[next] = depths[node]! + 1;
      }
      node = next;
    }
    if (node !== root) matches[node] = word.length;
  }
  return { edges, depths, matches, byDepth: nodes.sort((a, b) => depths[a.node]! - depths[b.node]!) };
}

/** Builds the automaton of Aho and Corasick: memory grows with the bytes of the words, time with those of the text. */
export function automaton(words: readonly Uint8Array[]): Automaton {
  const { edges, depths, matches, byDepth } = tree(words);
  // Where to go on when no edge fits: the longest end of what was read that is also the start of a word.
  const fallback = new Int32Array(depths.length);
  const first = Int32Array.from({ length: 256 }, (_, byte) => edges.get(edge(root, byte)) || root);

  function step(state: number, byte: number): number {
    for (let node = state; node > root; node = fallback[node]!) {
      const next = edges.get(edge(node, byte));
      if (next !== 0) return next;
    }
    return first[byte]!;
  }

  // Shallow nodes first: a fallback is always shallower than the node it belongs to.
  for (const { parent, byte, node } of byDepth) {
    fallback[node] = parent === root ? root : step(fallback[parent]!, byte);
    if (matches[node] === 0) matches[node] = matches[fallback[node]!]!;
  }
  return {
    empty: byDepth.length === 0,
    start: root,
    step,
    depth: (state) => depths[state]!,
    matched: (state) => matches[state]!,
  };
}
