export interface Complaints {
  readonly messages: readonly string[];
  add(what: string, given?: string): void;
}

// Complaints travel in gRPC headers. Texts from the manifest are cut to fit there.
const maxGivenLength = 255;
const maxBytes = 16_384;

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).replace(/\p{Surrogate}$/u, "")}…`;

/** Starts an empty list of complaints. Beyond 16 KiB further ones are dropped. */
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
