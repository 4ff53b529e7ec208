import type { Assignment } from "@ci/proto/builds/v1/queue";

/** Shorter lines of a value say little, and hiding them would blot out ordinary text. */
const shortestLine = 6;
const shortestKeyLine = 16;
/** Shorter pieces of base64 occur by chance. */
const shortestPiece = 4;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const linesOf = (value: string, shortest: number): string[] => {
  const lines = value.split(/\r?\n/);
  return lines.length > 1 ? lines.filter((line) => line.length >= shortest) : [];
};

/**
 * What a value looks like inside of longer base64 text, when `shift` bytes of something else stand before its first
 * group of three. The character that it shares with what follows may be one of a few: each gives a form.
 */
function piecesOfBase64(value: Buffer, shift: 0 | 1 | 2): string[] {
  const text = Buffer.concat([Buffer.alloc(shift), value])
    .toString("base64")
    .replaceAll("=", "");
  const own = text.slice([0, 2, 3][shift]);
  const bitsOver = ((shift + value.length) * 8) % 6;
  if (bitsOver === 0) return own.length < shortestPiece ? [] : [own];
  const whole = own.slice(0, -1);
  if (whole.length < shortestPiece) return [];
  const known = alphabet.indexOf(own.at(-1)!);
  const open = 1 << (6 - bitsOver);
  return [whole, ...Array.from({ length: open }, (_, more) => whole + alphabet[known + more])];
}

function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const alone = bytes.toString("base64");
  const inside = ([0, 1, 2] as const).flatMap((shift) => piecesOfBase64(bytes, shift));
  const ended = [0, 1, 2].map((shift) => endOfBase64(bytes, shift));
  const forms = [alone, ...inside, ...ended.filter((form) => form.length >= shortestPiece)];
  return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}

/** Base64 text from the first character of its own to the padding. */
const endOfBase64 = (value: Buffer, shift: number): string =>
  Buffer.concat([Buffer.alloc(shift), value])
    .toString("base64")
    .slice([0, 2, 3][shift]);

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, "0");

function percentForms(value: string): string[] {
  const plain = encodeURIComponent(value);
  const strict = plain.replace(/[!'()*]/g, (character) => `%${hex(character).toUpperCase()}`);
  const upper = [plain, strict, plain.replaceAll("%20", "+"), strict.replaceAll("%20", "+")];
  return upper.flatMap((form) => [form, form.replace(/%../g, (code) => code.toLowerCase())]);
}

function jsonForms(value: string): string[] {
  const plain = JSON.stringify(value).slice(1, -1);
  const code = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const ascii = (text: string) => text.replace(/[\u007f-\uffff]/g, code);
  // Some writers escape what is special in HTML as well.
  const forHtml = plain.replace(/[<>&]/g, code);
  return [plain, ascii(plain), forHtml, ascii(forHtml), plain.replaceAll("/", "\\/")];
}

const formsOf = (value: string): string[] => [
  value,
  ...base64Forms(value),
  ...percentForms(value),
  ...jsonForms(value),
];

const formsOfKey = (privateKey: string): string[] => {
  const body = linesOf(privateKey, shortestKeyLine).filter((line) => !line.startsWith("-----"));
  return [...formsOf(privateKey), ...body];
};

/** Every byte sequence that must not leave in the output of a build: its masked values and keys, and other spellings. */
export function secretWords({ variables, keys }: Pick<Assignment, "variables" | "keys">): Buffer[] {
  const values = variables.filter(({ masked }) => masked).map(({ value }) => value);
  const words = new Set([
    ...values.flatMap((value) => [...formsOf(value), ...linesOf(value, shortestLine)]),
    ...keys.flatMap(({ privateKey }) => formsOfKey(privateKey)),
  ]);
  words.delete("");
  return [...words].map((word) => Buffer.from(word));
}
