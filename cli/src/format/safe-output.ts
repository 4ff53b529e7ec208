const escapes =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  /(\x1b\[[\d:;]*[mK])|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]{0,4096}(?:\x1b\\|\x07|\x9c)|\x1b[ -/]*[0-~]|[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
const unfinished =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  /(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*\x1b?|\x1b[ -/]*)$/;
const maxSequenceLength = 4_096;

export interface Filter {
  push(text: string): string;
  /** Returns the text that was held back for an unfinished sequence. */
  end(): string;
}

/** Returns a filter that keeps text, colors and erased ends of lines, and drops what else could control a terminal. */
export function terminalFilter(): Filter {
  let rest = "";
  const safe = (text: string) => text.replace(escapes, "$1");
  return {
    push(text) {
      const all = rest + text;
      rest = unfinished.exec(all.slice(-maxSequenceLength))?.[0] ?? "";
      return safe(all.slice(0, all.length - rest.length));
    },
    end() {
      const text = safe(rest);
      rest = "";
      return text;
    },
  };
}

/** Returns the filter of build output for a stream: only terminals need one. */
export const filterFor = ({ isTTY }: { readonly isTTY?: boolean | undefined }): Filter =>
  isTTY ? terminalFilter() : { push: (text) => text, end: () => "" };
