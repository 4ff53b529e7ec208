/// <reference types="jest" />
import fc from "fast-check";
import { createMask } from "../src/output/mask.js";
import { secretsOf } from "../src/output/secrets.js";
import { type Forbidden, forbidden, hiddenSpans, shownLength, shownOf } from "./_slow-mask.js";
import { inJson, inTraces, inUrls, latin1 } from "./_spellings.js";

const outputsPerBatch = 500;

/** Numbers below a limit, the same ones for the same seed. */
type Dice = (below: number) => number;
function diceOf(seed: number): Dice {
  let state = seed || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const textOf = (characters: string, minLength = 6, maxLength = 14) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });
const anyCharacter = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code >> 11 === 27 ? 0xe9 : code));
const line = fc.oneof(
  textOf("ab"),
  textOf("a"),
  textOf(".*+?^{}$()|[]\\/a"),
  textOf("üé€😀aß"),
  textOf("a'\"%&+ /=<>`\\\t"),
  textOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", 6, 30),
  fc.string({ unit: anyCharacter, minLength: 6, maxLength: 20 }),
);
const severalLines = fc
  .tuple(fc.array(fc.oneof(line, textOf("ab", 0, 5)), { minLength: 2, maxLength: 4 }), fc.constantFrom("\n", "\r\n"))
  .map(([all, end]) => all.join(end))
  .filter((text) => [...text].length >= 6);
const privateKey = fc
  .array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 3 })
  .chain((lengths) => fc.tuple(...lengths.map((length) => fc.uint8Array({ minLength: length, maxLength: length }))))
  .map((parts) => parts.map((bytes) => Buffer.from(bytes).toString("base64")).join("\n"))
  .map((body) => `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`);

/** Values of which some begin as others do, or begin as others end. */
const values = fc
  .tuple(fc.array(fc.oneof({ weight: 3, arbitrary: line }, severalLines), { minLength: 1, maxLength: 3 }), fc.nat(3))
  .map(([all, how]) => {
    const first = [...all[0]!];
    if (how === 1) return [...all, `${all[0]}${all[0]}`];
    if (how === 2) return [...all, `${first.slice(-5).join("")}${all.at(-1)}`];
    return how === 3 && first.length > 6 ? [...all, first.slice(0, 6).join("")] : all;
  });

const noise = ["ab", "a", "%2Fa5", '\\nu00"/', "\n", "\r\n ", "ABCab+/=-_", "'\" &", "\0\xff\xc3\xa9", "+ echo "];

function noiseOf(dice: Dice): string {
  const characters = noise[dice(noise.length)]!;
  return Array.from({ length: dice(6) }, () => characters[dice(characters.length)]).join("");
}

/** A value as a part of something longer, in base64, perhaps in lines of some length. */
function encodedWithin(value: string, dice: Dice): string {
  const around = () => Buffer.from(Array.from({ length: dice(5) }, () => dice(256)));
  const text = Buffer.concat([around(), Buffer.from(value), around()]).toString(dice(2) ? "base64" : "base64url");
  const width = [0, 76, 64, 1 + dice(24)][dice(4)]!;
  return width === 0 ? text : text.replace(new RegExp(`.{${width}}`, "g"), `$&${dice(2) ? "\n" : "\r\n"}`);
}

/** What the outputs of one batch are made of. */
function partsOf(secrets: readonly string[], dice: Dice): string[] {
  return secrets.flatMap((value) => {
    const lines = value.split(/\r?\n/).map(latin1);
    const within = Array.from({ length: 12 }, () => encodedWithin(value, dice));
    const raw = latin1(value);
    return [raw, raw, raw, ...lines, ...inUrls(value), ...inJson(value), ...inTraces(value), ...within];
  });
}

function outputOf(parts: readonly string[], dice: Dice): string {
  let text = noiseOf(dice);
  for (let more = dice(3); more >= 0; more--) {
    const part = parts[dice(parts.length)]!;
    text += dice(6) === 0 ? part.slice(dice(3), dice(part.length) + 1) : part;
    text += noiseOf(dice);
  }
  return text;
}

/** All at once, in pieces of many bytes or of few, seldom in single bytes; now and then an empty one. */
function* cut(bytes: Buffer, dice: Dice): Generator<Buffer> {
  const about = dice(20) === 0 ? 1 : [bytes.length, 100, 30, 8][dice(4)]!;
  for (let from = 0; from < bytes.length; ) {
    const to = from + (about === 1 ? 1 : dice(2 * about));
    yield bytes.subarray(from, to);
    from = to;
  }
}

/** Masks one output in pieces and throws if anything is wrong with what is shown, or with what is held back. */
function check(text: string, secrets: ReturnType<typeof secretsOf>, not: Forbidden, mostHeld: number, dice: Dice) {
  const mask = createMask(secrets);
  const hidden = hiddenSpans(text, not);
  const expected = shownOf(text, hidden);
  const pieces: Buffer[] = [];
  let shown = "";
  let read = 0;
  const complain = (what: string) => {
    throw new Error(
      `${what}\n${JSON.stringify({ text, pieces: pieces.map(({ length }) => length), shown, expected })}`,
    );
  };
  for (const piece of cut(Buffer.from(text, "latin1"), dice)) {
    pieces.push(piece);
    read += piece.length;
    shown += Buffer.from(mask.write(piece)).toString("latin1");
    const due = read - mostHeld;
    if (due > 0 && shown.length < shownLength(hidden, due)) complain("Too much is held back");
  }
  shown += Buffer.from(mask.end()).toString("latin1");
  if (shown !== expected) complain("Not what is expected");
  // The xxxxxx may make a word with an x of its own.
  for (const word of not.texts) if (shown.includes(word) && !word.includes("x")) complain(`${word} is shown`);
}

/**
 * Checks that no output shows a secret, in no spelling and however it is cut, and that all else is shown. Each batch
 * has other secrets and 500 outputs.
 */
export function checkOutputs(batches: number): void {
  let outputs = 0;
  fc.assert(
    fc.property(values, fc.array(privateKey, { maxLength: 1 }), fc.integer(), (masked, keys, seed) => {
      const dice = diceOf(seed);
      const variables = masked.map((value) => ({ key: "K", value, masked: true }));
      const secrets = secretsOf({
        variables: [...variables, { key: "SHOWN", value: "+ echo ", masked: false }],
        keys: keys.map((privateKey) => ({ name: "id", config: "", privateKey })),
      });
      const not = forbidden(masked, keys);
      // Of a byte the longest spelling is \uXXXX.
      const longest = 6 * Math.max(...not.words.map(({ length }) => length));
      const longestBase64 = Math.ceil((4 / 3) * Math.max(...not.encoded.map(({ length }) => length))) + 4;
      const parts = partsOf([...masked, ...keys], dice);
      for (let output = 0; output < outputsPerBatch; output++) {
        check(outputOf(parts, dice), secrets, not, Math.max(longest, 3 * longestBase64), dice);
        outputs++;
      }
    }),
    { numRuns: batches },
  );
  expect(outputs).toBe(batches * outputsPerBatch);
}
