/** A byte that a text stands for, and the part of the text that it is written in. */
export type Emit = (byte: number, from: number, to: number) => void;

/** Reads a text as programs write it that escape characters, byte by byte. Positions count the bytes of the text. */
export interface Decoder {
  /** The byte that escapes begin with. */
  readonly begin: number;
  /** What any other byte stands for outside of an escape. */
  plain(byte: number): number;
  /** Takes the byte at a position and hands over what it makes complete. */
  take(byte: number, at: number, emit: Emit): void;
  /** Hands over what was left open when no more bytes come. */
  end(emit: Emit): void;
  /** Where an escape starts whose end has not been read yet; -1 for none. */
  open(): number;
}

const percent = 0x25;
const plus = 0x2b;
const space = 0x20;
const backslash = 0x5c;
const letterU = 0x75;

/** The value of a hexadecimal digit; -1 for other bytes. */
const hexOf = Int8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? -1 : digit;
});

/** An escape as far as it has been read: what more it needs, or what it stands for. */
type Escape = "more" | "none" | readonly number[];

/**
 * Reads escapes that begin with one byte. What turns out to be none is its first byte as it stands, and what follows
 * that is read anew.
 */
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

/** What is the same in percent-encoding: programs write a space as `+`, too. */
export const spaceOf = (byte: number): number => (byte === plus ? space : byte);

/** Percent-encoding, with `+` and the space as one. */
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

/** The unit of UTF-16 that is written as `\uXXXX` from an index on. */
const unitAt = (read: readonly number[], index: number): number =>
  read.slice(index + 2, index + numberedLength).reduce((value, byte) => 16 * value + hexOf[byte]!, 0);

const isFirstHalf = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isSecondHalf = (unit: number) => unit >= 0xdc00 && unit < 0xe000;

/** One character by its number, or by two numbers if it lies outside of the basic plane. */
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

/** The inside of a JSON string. */
export const jsonDecoder = (): Decoder =>
  escapes(backslash, (read) => {
    if (read.length === 1) return "more";
    return (read.length === 2 ? shortEscapes.get(read[1]!) : undefined) ?? numbered(read);
  });
