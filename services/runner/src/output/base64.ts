import type { Automaton } from "./automaton.js";
import type { Found, Search } from "./search.js";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const padding = 0x3d;
const standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** What a character stands for, in the standard alphabet or that for URLs; -1 for others. */
const sextetOf = Int8Array.from({ length: 256 }, (_, byte) =>
  standard.indexOf({ 45: "+", 95: "/" }[byte] ?? String.fromCharCode(byte)),
);
/** Shorter pieces of base64 occur by chance. Before a line break as few are shown: else many a line would wait for the next. */
const fewest = 4;
/** Bits of a character that are left over behind the last byte, by the character's place among four. */
const bitsOver = [6, 4, 2, 0] as const;

/** A line break inside of what may be a word: how many characters stand before it, and where it lies. */
interface Break {
  readonly count: number;
  readonly from: number;
  to: number;
}

/** How many whole characters the last `length` bytes have to themselves, when the last character has this place. */
const charactersOf = (length: number, place: number) => Math.floor((bitsOver[place]! + 8 * length) / 6);

/**
 * Finds words in text that holds them in base64, of either alphabet and any line length: programs break such text at
 * 64 or 76 characters, wherever a word may lie. Nobody knows where the text begins, so it is read from each of four
 * places at once. A single line break is passed over; two end the text, as does any other character.
 */
export function searchBase64({ start, step, depth, matched, startsWith }: Automaton): Search {
  const states = [start, start, start, start];
  let position = 0;
  /** Characters of base64 so far. */
  let count = 0;
  let last = 0;
  let before = 0;
  let breaks: Break[] = [];
  /** The word that has just ended, and how many `=` may belong to it. */
  let ended = { from: -1, to: -1, missing: 0 };

  const placeOf = (phase: number) => (count - 1 + phase) & 3;

  /** How many of the last characters may be the start of a word, read from this place. */
  function heldBy(phase: number): number {
    const place = placeOf(phase);
    const held = depth(states[phase]!);
    const mayBegin = held > 0 || (place === 0 && startsWith(last << 2));
    return count > 0 && mayBegin ? charactersOf(held, place) : 0;
  }

  const maxHeld = () => Math.max(heldBy(0), heldBy(1), heldBy(2), heldBy(3));

  /** Where the last characters start, this many of them. */
  function startOf(length: number): number {
    const inside = breaks.filter((one) => one.count > count - length);
    const first = inside[0];
    if (first && first.count - (count - length) < fewest) return first.to;
    return inside.reduce((at, { from, to }) => at - (to - from), position - length);
  }

  function giveUp(): void {
    states.fill(start);
    breaks = [];
    count = 0;
    ended.missing = 0;
  }

  function passOver(byte: number): void {
    const isPair = before === carriageReturn && byte === lineFeed;
    const last = breaks.at(-1);
    if (isPair && last?.to === position - 1) last.to = position;
    else if (isPair) return;
    else if (before === lineFeed || before === carriageReturn) giveUp();
    else if (maxHeld() > 0) breaks.push({ count, from: position - 1, to: position });
  }

  /** Reads a character; returns where the longest word starts that ends in it, -1 for none. */
  function take(sextet: number): number {
    const bits = (last << 6) | sextet;
    last = sextet;
    count++;
    let from = -1;
    for (let phase = 0; phase < 4; phase++) {
      const place = placeOf(phase);
      if (place === 0 || count === 1) continue;
      const state = step(states[phase]!, (bits >> bitsOver[place]!) & 0xff);
      states[phase] = state;
      const length = matched(state);
      const characters = length === 0 ? 0 : charactersOf(length, place);
      if (characters < fewest) continue;
      const at = startOf(characters);
      if (from >= 0 && at >= from) continue;
      from = at;
      ended = { from, to: position, missing: 3 - place };
    }
    if (breaks.length > 0) breaks = breaks.filter((one) => one.count > count - maxHeld());
    return from;
  }

  function other(byte: number, found: Found): void {
    const { from, missing } = ended;
    const isPadding = byte === padding && missing > 0 && before !== carriageReturn;
    giveUp();
    if (!isPadding) return;
    ended = { from, to: position, missing: missing - 1 };
    found(from, position);
  }

  function next(byte: number, found: Found): void {
    position++;
    const sextet = sextetOf[byte]!;
    if (byte === lineFeed || byte === carriageReturn) passOver(byte);
    else if (sextet < 0) other(byte, found);
    else {
      if (before === carriageReturn) giveUp();
      ended.missing = 0;
      const from = take(sextet);
      if (from >= 0) found(from, position);
    }
    before = byte;
  }

  return {
    read(bytes, found) {
      for (let at = 0; at < bytes.length; at++) next(bytes[at]!, found);
    },
    open() {
      const held = maxHeld();
      const at = held === 0 ? position : startOf(held);
      return ended.missing > 0 ? Math.min(at, ended.to - 1) : at;
    },
  };
}
