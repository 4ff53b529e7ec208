/** What is wrong with one manifest, each message once. */
export interface Complaints {
  readonly messages: readonly string[];
  /** Adds `Manifest <what>`, with the text it is about. */
  add(what: string, given?: string): void;
}

// Complaints travel in the headers of an answer. Texts of strangers are cut so that they fit there.
const maxGivenLength = 255;
const maxBytes = 16_384;

/** At most `length` characters, none of them halved. */
const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).replace(/\p{Surrogate}$/u, "")}…`;

/** An empty list of complaints. Beyond 16 KiB further ones are dropped: by then there is enough to mend. */
export function complaints(): Complaints {
  const messages = new Set<string>();
  let bytes = 0;
  return {
    get messages() {
      return [...messages];
    },
    add(what, given = "") {
      const message = `Manifest ${what}${given === "" ? "" : " "}${cut(given, maxGivenLength)}`;
      bytes += messages.has(message) ? 0 : Buffer.byteLength(message);
      if (bytes <= maxBytes) messages.add(message);
    },
  };
}
