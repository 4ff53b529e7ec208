/** Finds many words at once in a stream of bytes, one step a byte. */
export interface Automaton {
  /** The state before the first byte. */
  readonly start: number;
  /** The state after one more byte. */
  step(state: number, byte: number): number;
  /** How many of the last bytes may be the start of a word. */
  depth(state: number): number;
  /** The length of the longest word that ends here; 0 for none. */
  matched(state: number): number;
}

/** The tree of all words: `edges` leads from node * 256 + byte to the next node, 0 is the root. */
function tree(words: readonly Uint8Array[]) {
  const edges = new Map<number, number>();
  const depths = [0];
  const matches = [0];
  for (const word of words) {
    let node = 0;
    for (const byte of word) {
      const edge = node * 256 + byte;
      let next = edges.get(edge);
      if (next === undefined) {
        next = depths.length;
        edges.set(edge, next);
        depths.push(depths[node]! + 1);
        matches.push(0);
      }
      node = next;
    }
    if (node !== 0) matches[node] = word.length;
  }
  return { edges, depths: Int32Array.from(depths), matches: Int32Array.from(matches) };
}

/** Builds the automaton of Aho and Corasick: memory grows with the bytes of the words, time with those of the text. */
export function automaton(words: readonly Uint8Array[]): Automaton {
  const { edges, depths, matches } = tree(words);
  // Where to go on when no edge fits: the longest end of what was read that is also the start of a word.
  const fallback = new Int32Array(depths.length);
  const first = new Int32Array(256);
  for (let byte = 0; byte < 256; byte++) first[byte] = edges.get(byte) ?? 0;

  function step(state: number, byte: number): number {
    let node = state;
    while (node !== 0) {
      const next = edges.get(node * 256 + byte);
      if (next !== undefined) return next;
      node = fallback[node]!;
    }
    return first[byte]!;
  }

  // Shallow nodes first: a fallback is always shallower than the node it belongs to.
  const byDepth = [...edges].sort(([, a], [, b]) => depths[a]! - depths[b]!);
  for (const [edge, node] of byDepth) {
    const parent = Math.floor(edge / 256);
    if (parent !== 0) fallback[node] = step(fallback[parent]!, edge % 256);
    if (matches[node] === 0) matches[node] = matches[fallback[node]!]!;
  }
  return { start: 0, step, depth: (state) => depths[state]!, matched: (state) => matches[state]! };
}
