/** A line that has the text. */
export interface Hit {
  readonly line: number;
  /** Byte offset of the line. */
  readonly offset: number;
}

export interface Found {
  /** The first lines that have the text. */
  readonly hits: readonly Hit[];
  /** Number of lines that have it. */
  readonly total: number;
  readonly searchedBytes: number;
}

/** Further hits are counted only. */
const maxHits = 10_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const sequences = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)/g;

/** Searches lines for a text, whatever its case, and counts them. */
export function lineSearch(text: string) {
  const wanted = text.toLowerCase();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const hits: Hit[] = [];
  let total = 0;
  let line = 0;
  let offset = 0;

  return {
    /** Searches whole lines. */
    search(bytes: Uint8Array): void {
      const all = decoder.decode(bytes);
      const isAscii = all.length === bytes.length;
      let at = offset;
      for (const raw of all.replace(/\n$/, "").split("\n")) {
        line++;
        const shown = raw.includes("\x1b") ? raw.replace(sequences, "") : raw;
        if (shown.toLowerCase().includes(wanted)) {
          total++;
          if (hits.length < maxHits) hits.push({ line, offset: at });
        }
        at += (isAscii ? raw.length : encoder.encode(raw).length) + 1;
      }
      offset += bytes.length;
    },
    found: (): Found => ({ hits: [...hits], total, searchedBytes: offset }),
  };
}
