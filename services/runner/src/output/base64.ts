import type { Automaton } from "./automaton.js";
import type { Found, Search } from "./search.js";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const padding = 0x3d;
const standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Values in the standard and the URL alphabet; -1 for other characters. */
const sextetOf = Int8Array.from({ length: 256 }, (_, byte) =>
  standard.indexOf({ 45: "+", 95: "/" }[byte] ?? String.fromCharCode(byte)),
);
/** Shorter pieces occur by chance. As few may be shown before a line break, or many lines would wait for the next. */
const fewest = 4;
/** Unused bits after the last byte, by the character's place among four. */
const bitsOver = [6, 4, 2, 0] as const;

/** A line break inside a possible word, and the number of characters before it. */
interface Break {
  readonly count: number;
  readonly from: number;
  to: number;
}

/** Returns how many characters belong entirely to the last `length` bytes. */
const charactersOf = (length: number, place: number) => Math.floor((bitsOver[place]! + 8 * length) / 6);

/** Finds words in base64, read at all four alignments. One line break is skipped; two end the text. */
export function searchBase64({ start, step, depth, matched, startsWith }: Automaton): Search {
  const states = [start, start, start, start];
  let position = 0;
  let count = 0;
  let last = 0;
  let before = 0;
  let breaks: Break[] = [];
  let ended = { from: -1, to: -1, missing: 0 };

  const placeOf = (phase: number) => (count - 1 + phase) & 3;

  function heldBy(phase: number): number {
    const place = placeOf(phase);
    const held = depth(states[phase]!);
    const mayBegin = held > 0 || (place === 0 && startsWith(last << 2));
    return count > 0 && mayBegin ? charactersOf(held, place) : 0;
  }

  const maxHeld = () => Math.max(heldBy(0), heldBy(1), heldBy(2), heldBy(3));

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
