import { fixedLimit } from "../process/fixed-limit.js";
/** Messages about fields, as HTTP responses and gRPC trailers carry them. */
export type Fields = Readonly<Record<string, readonly string[]>>;

/** Characters of a client's text that a message repeats. */
const maxQuoted = fixedLimit({
  max: 100,
  about: "characters of a request that one message repeats",
  effect: "the rest is cut",
});
/** Characters of one message. */
const maxLength = fixedLimit({
  max: 1_024,
  about: "characters of one message of a response",
  effect: "the rest is cut",
});
const maxMessages = fixedLimit({ max: 50, about: "messages in a response", effect: "further ones are left out" });
/** Bytes of all messages as JSON. HTTP/2 closes a connection whose headers exceed 64 KiB, and with it every call. */
const maxBytes = fixedLimit({
  max: 8 * 1024,
  unit: "bytes",
  about: "all messages of a response, as JSON",
  effect: "further ones are left out",
});

/** A character takes one or two code units. The first cut avoids splitting all of a long text into characters. */
const cut = (text: string, length: number): string =>
  text.length <= length ? text : [...text.slice(0, 2 * length)].slice(0, length).join("");

/** Returns the beginning of a client's text, short enough to quote in a message. */
export const quoted = (text: string): string => cut(text, maxQuoted);

/** Returns a message that fits into the headers of a response. */
export const boundedMessage = (text: string): string => cut(text, maxLength);

/** Returns the complaints that fit into a response: the first about each field, then the others in order. */
export function boundedFields(fields: Fields): Fields {
  let messages = 0;
  let bytes = 0;
  const fits = (text: string) => {
    bytes += Buffer.byteLength(JSON.stringify(text));
    return ++messages <= maxMessages && bytes <= maxBytes;
  };
  const named = Object.entries(fields).slice(0, maxMessages);
  const firsts = named.flatMap(([field, about]) => {
    const kept = about.slice(0, 1).map(boundedMessage).filter(fits);
    return about.length === 0 || kept.length > 0 ? [[field, kept] as const] : [];
  });
  const others = (field: string) => (fields[field] ?? []).slice(1, maxMessages).map(boundedMessage).filter(fits);
  return Object.fromEntries(firsts.map(([field, kept]) => [field, [...kept, ...others(field)]]));
}
