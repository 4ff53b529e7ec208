import { fewest, readAligned } from "./alignments.js";
import type { Automaton } from "./automaton.js";
import { trackBreaks } from "./line-breaks.js";
import type { Found, Search } from "./search.js";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const padding = 0x3d;
const standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Values in the standard and the URL alphabet; -1 for other characters. */
const sextetOf = Int8Array.from({ length: 256 }, (_, byte) =>
  standard.indexOf({ 45: "+", 95: "/" }[byte] ?? String.fromCharCode(byte)),
);

/** Finds words in base64. One line break is skipped; two end the text. */
export function searchBase64(words: Automaton): Search {
  const text = readAligned(words, (characters, missing) => {
    const at = startOf(characters);
    if (from < 0 || at < from) {
      from = at;
      ended = { from, to: position, missing };
    }
  });
  // As few characters may be shown before a line break, or many lines would wait for the next.
  const breaks = trackBreaks(fewest);
  let position = 0;
  let before = 0;
  /** The earliest start of the words that end here; -1 for none. */
  let from = -1;
  let ended = { from: -1, to: -1, missing: 0 };

  const startOf = (length: number) => breaks.startOf(length, text.count(), position);

  function giveUp(): void {
    text.reset();
    breaks.clear();
    ended.missing = 0;
  }

  function passOver(byte: number): void {
    if (before === carriageReturn && byte === lineFeed) breaks.extend(position);
    else if (before === lineFeed || before === carriageReturn) giveUp();
    else if (text.held() > 0) breaks.add(text.count(), position - 1);
  }

  function take(sextet: number, found: Found): void {
    if (before === carriageReturn) giveUp();
    ended.missing = 0;
    from = -1;
    text.take(sextet);
    if (breaks.any()) breaks.trim(text.count() - text.held());
    if (from >= 0) found(from, position);
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
    else take(sextet, found);
    before = byte;
  }

  return {
    read(bytes, found) {
      for (let at = 0; at < bytes.length; at++) next(bytes[at]!, found);
    },
    open() {
      const held = text.held();
      const at = held === 0 ? position : startOf(held);
      return ended.missing > 0 ? Math.min(at, ended.to - 1) : at;
    },
  };
}
