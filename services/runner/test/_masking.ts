/// <reference types="jest" />
import fc from "fast-check";
import { createMask } from "../src/output/mask.js";
import { type Secrets, secretsOf } from "../src/output/secrets.js";
import { type Forbidden, forbidden, hiddenSpans, shownLength, shownOf } from "./_slow-mask.js";
import { inJson, inTraces, inUrls, latin1 } from "./_spellings.js";

const outputsPerBatch = 500;

/** Returns numbers below a limit, the same ones for the same seed. */
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
  .map(([lines, end]) => lines.join(end))
  .filter((text) => [...text].length >= 6);
const privateKey = fc
  .array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 3 })
  .chain((lengths) => fc.tuple(...lengths.map((length) => fc.uint8Array({ minLength: length, maxLength: length }))))
  .map((parts) => parts.map((bytes) => Buffer.from(bytes).toString("base64")).join("\n"))
  .map((body) => `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`);

/** Some values share their beginning, or begin with the end of another. */
const values = fc
  .tuple(fc.array(fc.oneof({ weight: 3, arbitrary: line }, severalLines), { minLength: 1, maxLength: 3 }), fc.nat(3))
  .map(([lines, variant]) => {
    const first = [...lines[0]!];
    if (variant === 1) return [...lines, `${lines[0]}${lines[0]}`];
    if (variant === 2) return [...lines, `${first.slice(-5).join("")}${lines.at(-1)}`];
    return variant === 3 && first.length > 6 ? [...lines, first.slice(0, 6).join("")] : lines;
  });

const noise = ["ab", "a", "%2Fa5", '\\nu00"/', "\n", "\r\n ", "ABCab+/=-_", "'\" &", "\0\xff\xc3\xa9", "+ echo "];

function noiseOf(dice: Dice): string {
  const characters = noise[dice(noise.length)]!;
  return Array.from({ length: dice(6) }, () => characters[dice(characters.length)]).join("");
}

/** Returns base64 of a longer text that contains the value, perhaps in lines. */
function encodedWithin(value: string, dice: Dice): string {
  const around = () => Buffer.from(Array.from({ length: dice(5) }, () => dice(256)));
  const text = Buffer.concat([around(), Buffer.from(value), around()]).toString(dice(2) ? "base64" : "base64url");
  const width = [0, 76, 64, 1 + dice(24)][dice(4)]!;
  return width === 0 ? text : text.replace(new RegExp(`.{${width}}`, "g"), `$&${dice(2) ? "\n" : "\r\n"}`);
}

/** Returns the pieces from which the outputs of one batch are composed. */
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
  for (let count = dice(3); count >= 0; count--) {
    const part = parts[dice(parts.length)]!;
    text += dice(6) === 0 ? part.slice(dice(3), dice(part.length) + 1) : part;
    text += noiseOf(dice);
  }
  return text;
}

/** Yields the bytes at once or in large or small pieces, rarely in single bytes; some pieces are empty. */
function* cut(bytes: Buffer, dice: Dice): Generator<Buffer> {
  const pieceBytes = dice(20) === 0 ? 1 : [bytes.length, 100, 30, 8][dice(4)]!;
  for (let start = 0; start < bytes.length; ) {
    const end = start + (pieceBytes === 1 ? 1 : dice(2 * pieceBytes));
    yield bytes.subarray(start, end);
    start = end;
  }
}

/** Masks one output in pieces. Throws if the result is wrong, or if the mask holds back too much. */
function check(text: string, secrets: Secrets, forbiddenTexts: Forbidden, maxHeldBytes: number, dice: Dice) {
  const mask = createMask(secrets);
  const hidden = hiddenSpans(text, forbiddenTexts);
  const expected = shownOf(text, hidden);
  const pieces: Buffer[] = [];
  let output = "";
  let read = 0;
  const complain = (problem: string) => {
    throw new Error(
      `${problem}\n${JSON.stringify({ text, pieces: pieces.map(({ length }) => length), output, expected })}`,
    );
  };
  for (const piece of cut(Buffer.from(text, "latin1"), dice)) {
    pieces.push(piece);
    read += piece.length;
    output += Buffer.from(mask.write(piece)).toString("latin1");
    const due = read - maxHeldBytes;
    if (due > 0 && output.length < shownLength(hidden, due)) complain("Too much is held back");
  }
  output += Buffer.from(mask.end()).toString("latin1");
  if (output !== expected) complain("The output differs from the expected one");
  // The xxxxxx may form a word together with another x.
  for (const word of forbiddenTexts.texts)
    if (output.includes(word) && !word.includes("x")) complain(`${word} is shown`);
}

/**
 * Checks that outputs hide every secret, in every spelling and however they are cut, and show everything else. Each
 * batch has new secrets and 500 outputs.
 */
export async function checkOutputs(batches: number): Promise<void> {
  let outputs = 0;
  await fc.assert(
    fc.asyncProperty(values, fc.array(privateKey, { maxLength: 1 }), fc.integer(), async (masked, keys, seed) => {
      const dice = diceOf(seed);
      const variables = masked.map((value) => ({ key: "K", value, masked: true }));
      const secrets = await secretsOf({
        variables: [...variables, { key: "SHOWN", value: "+ echo ", masked: false }],
        keys: keys.map((privateKey) => ({ name: "id", config: "", privateKey })),
      });
      const forbiddenTexts = forbidden(masked, keys);
      // The longest spelling of a byte is \uXXXX.
      const longest = 6 * Math.max(...forbiddenTexts.words.map(({ length }) => length));
      const longestBase64 = Math.ceil((4 / 3) * Math.max(...forbiddenTexts.encoded.map(({ length }) => length))) + 4;
      const parts = partsOf([...masked, ...keys], dice);
      for (let output = 0; output < outputsPerBatch; output++) {
        check(outputOf(parts, dice), secrets, forbiddenTexts, Math.max(longest, 3 * longestBase64), dice);
        outputs++;
      }
    }),
    { numRuns: batches },
  );
  expect(outputs).toBe(batches * outputsPerBatch);
}
