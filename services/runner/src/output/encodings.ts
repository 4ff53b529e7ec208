/** A decoded byte and its range in the encoded text. */
export type Emit = (byte: number, from: number, to: number) => void;

export interface Decoder {
  readonly begin: number;
  plain(byte: number): number;
  take(byte: number, at: number, emit: Emit): void;
  end(emit: Emit): void;
  /** Where an unfinished escape starts; -1 for none. */
  open(): number;
}

const percent = 0x25;
const plus = 0x2b;
const space = 0x20;
const backslash = 0x5c;
const letterU = 0x75;

const hexOf = Int8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? -1 : digit;
});

/** Incomplete, not an escape, or the decoded bytes. */
type Escape = "more" | "none" | readonly number[];

/** Decodes escapes that begin with one byte. If one turns out to be none, the rest is read again. */
function escapes(begin: number, look: (read: readonly number[]) => Escape, plain = (byte: number) => byte): Decoder {
  const read: number[] = [];
  let from = -1;

  function take(byte: number, at: number, emit: Emit): void {
    if (read.length === 0 && byte !== begin) {
      emit(plain(byte), at, at + 1);
      return;
    }
    if (read.length === 0) from = at;
    read.push(byte);
    const found = look(read);
    if (found === "more") return;
    const rest = read.splice(0);
    if (found !== "none") {
      for (const one of found) emit(one, from, at + 1);
      return;
    }
    asItStands(rest, emit);
  }

  function asItStands(rest: readonly number[], emit: Emit): void {
    const first = from;
    emit(rest[0]!, first, first + 1);
    for (const [index, one] of rest.entries()) if (index > 0) take(one, first + index, emit);
  }

  function end(emit: Emit): void {
    while (read.length > 0) asItStands(read.splice(0), emit);
  }

  return { begin, plain, take, end, open: () => (read.length === 0 ? -1 : from) };
}

/** Treats `+` and space alike, as form encoding does. */
export const spaceOf = (byte: number): number => (byte === plus ? space : byte);

export const percentDecoder = (): Decoder =>
  escapes(
    percent,
    (read) => {
      if (read.length === 1) return "more";
      if (hexOf[read.at(-1)!]! < 0) return "none";
      return read.length === 2 ? "more" : [spaceOf(16 * hexOf[read[1]!]! + hexOf[read[2]!]!)];
    },
    spaceOf,
  );

const shortEscapes = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(
    ([letter, character]) => [letter.charCodeAt(0), [character.charCodeAt(0)]],
  ),
);
const numberedLength = 6;

const unitAt = (read: readonly number[], index: number): number =>
  read.slice(index + 2, index + numberedLength).reduce((value, byte) => 16 * value + hexOf[byte]!, 0);

const isFirstHalf = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isSecondHalf = (unit: number) => unit >= 0xdc00 && unit < 0xe000;

function numbered(read: readonly number[]): Escape {
  const within = (read.length - 1) % numberedLength;
  const byte = read.at(-1)!;
  const fits = within === 0 ? byte === backslash : within === 1 ? byte === letterU : hexOf[byte]! >= 0;
  if (!fits) return "none";
  if (within < numberedLength - 1) return "more";
  const first = unitAt(read, 0);
  if (read.length === numberedLength) return isFirstHalf(first) ? "more" : [...Buffer.from(String.fromCharCode(first))];
  const second = unitAt(read, numberedLength);
  return isSecondHalf(second) ? [...Buffer.from(String.fromCharCode(first, second))] : "none";
}

export const jsonDecoder = (): Decoder =>
  escapes(backslash, (read) => {
    if (read.length === 1) return "more";
    return (read.length === 2 ? shortEscapes.get(read[1]!) : undefined) ?? numbered(read);
  });
