import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";

/** A header that a user adds to the requests of a webhook. */
export interface OwnHeader {
  readonly name: string;
  readonly value: string;
}

/** The value that keeps a stored value. */
export const masked = "xxxxxx";

const maxHeaders = fixedLimit({
  max: 20,
  about: "headers that a user gives a webhook",
  refusal: "Headers cannot have more than N entries",
});
const maxNameLength = fixedLimit({
  max: 100,
  about: "characters of the name of such a header",
  refusal: "Headers name cannot be longer than N characters in length",
});
const maxValueLength = fixedLimit({
  max: 1_024,
  about: "characters of the value of such a header",
  refusal: "Headers value of NAME cannot be longer than N characters in length",
});

const token = /^[\w!#$%&'*+.^`|~-]+$/;
const printable = /^[!-~](?:[ -~]*[!-~])?$/;

/** Names that the service sends itself, that frame a message, or that concern one connection. */
const reservedNames = new RegExp(
  "^(?:(?:accept|content|proxy|webhook)(?:-.*)?|baggage|connection|expect|host|http2-settings|keep-alive|te|traceparent|" +
    "tracestate|trailer|transfer-encoding|upgrade|user-agent|via)$",
);

const keyOf = (name: string): string => name.toLowerCase();

/** Reports whether only the service may set a header. `prefix` begins the names of its own. */
export function isReserved(name: string, prefix: string): boolean {
  const key = keyOf(name);
  return reservedNames.test(key) || key === keyOf(prefix) || key.startsWith(`${keyOf(prefix)}-`);
}

export const findHeader = (headers: readonly OwnHeader[], name: string): OwnHeader | undefined =>
  headers.find((header) => keyOf(header.name) === keyOf(name));

function valueErrors({ name, value }: OwnHeader, stored: readonly OwnHeader[]): string[] {
  const about = `Headers value of ${name}`;
  if (value === masked) return findHeader(stored, name) ? [] : [`${about} is ${masked}, but none is stored`];
  if (value.length > maxValueLength) return [`${about} cannot be longer than ${maxValueLength} characters in length`];
  if (printable.test(value)) return [];
  return [`${about} must be printable ASCII characters, without spaces at the ends`];
}

function headerErrors(header: OwnHeader, prefix: string, stored: readonly OwnHeader[]): string[] {
  const { name } = header;
  if (name.length > maxNameLength) return [`Headers name cannot be longer than ${maxNameLength} characters in length`];
  if (!token.test(name)) return [`Headers invalid name ${quoted(name)}`];
  return isReserved(name, prefix) ? [`Headers name ${name} is reserved`] : valueErrors(header, stored);
}

/** Returns what is wrong with the headers for a webhook that has others stored. */
export function ownHeaderErrors(headers: readonly OwnHeader[], prefix: string, stored: readonly OwnHeader[]): string[] {
  if (headers.length > maxHeaders) return [`Headers cannot have more than ${maxHeaders} entries`];
  const twice = headers.filter((header) => findHeader(headers, header.name) !== header);
  const errors = headers.flatMap((header) => headerErrors(header, prefix, stored));
  return [...new Set([...errors, ...twice.map(({ name }) => `Headers name ${quoted(name)} is given twice`)])];
}

const minHiddenLength = 6;

const asJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * Returns what may show values: whole, without a scheme such as Bearer, as JSON writes them with and without escaped
 * slashes, and as a URL does. Shorter texts would hide too much.
 */
function hiddenTexts(values: readonly string[]): string[] {
  const texts = values
    .flatMap((value) => [value, value.slice(value.lastIndexOf(" ") + 1)])
    .flatMap((text) => [text, asJson(text), asJson(text).replaceAll("/", "\\/"), encodeURIComponent(text)]);
  return [...new Set(texts)].filter(({ length }) => length >= minHiddenLength).sort((a, b) => b.length - a.length);
}

/** Drops the longest end that begins one of the texts: the rest of it was cut off. */
function withoutBeginning(text: string, hidden: readonly string[]): string {
  const beginnings = hidden.map((one) => {
    let length = Math.min(one.length, text.length);
    while (!text.endsWith(one.slice(0, length))) length--;
    return length;
  });
  return text.slice(0, text.length - Math.max(0, ...beginnings));
}

/** Returns a function that hides the values of headers in what a receiver responds, also at the end of what was cut off. */
export function hiding(values: readonly string[]): (text: string, isCut?: boolean) => string {
  const texts = hiddenTexts(values);
  return (text, isCut = false) => {
    const hidden = texts.reduce((found, one) => found.replaceAll(one, masked), text);
    return isCut ? withoutBeginning(hidden, texts) : hidden;
  };
}
