import { formDecoded } from "@ci/kit/bytes/form-decoded";
import { type JsonLimits, jsonScanner } from "@ci/kit/bytes/json-scanner";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { type Pace, pacer } from "@ci/kit/turns/pacer";

const maxDepth = fixedLimit({
  max: 64,
  about: "levels of the payload of a hook, or of a provider's response",
  effect: "the delivery makes no build; `the payload is nested more than N levels deep`",
});
const maxValues = fixedLimit({
  max: 200_000,
  about: "values in the payload of a hook",
  effect: "the delivery makes no build; `the payload has more than N values`",
});
const maxResponseValues = fixedLimit({
  max: 10_000,
  about: "values in a provider's response",
  effect: "the response counts as empty",
});
const maxFields = fixedLimit({
  max: 100,
  about: "fields of a form that a hook sends",
  effect: "the delivery makes no build; `the form has more than N fields`",
});

const excesses = {
  maxDepth: `the payload is nested more than ${maxDepth} levels deep`,
  maxValues: `the payload has more than ${maxValues} values`,
};
const pieceBytes = 64 * 1024;
const ampersand = 0x26;
const prefix = Buffer.from("payload=");

/** What a body holds: nothing if it is not JSON, or an excess, which is a reason for users. */
interface ReadPayload {
  readonly payload?: unknown;
  readonly excess?: string;
}

class TooMuch extends Error {}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

function payloadField(form: Buffer): Buffer {
  let at = 0;
  for (let count = 0; count < maxFields; count++) {
    const next = form.indexOf(ampersand, at);
    const field = form.subarray(at, next < 0 ? undefined : next);
    if (field.subarray(0, prefix.length).equals(prefix)) return field.subarray(prefix.length);
    if (next < 0) return Buffer.alloc(0);
    at = next + 1;
  }
  throw new TooMuch(`the form has more than ${maxFields} fields`);
}

async function checkExcess(json: Buffer, limits: JsonLimits, pace: Pace): Promise<void> {
  const scan = jsonScanner(limits);
  for (const piece of piecesOf(json)) {
    const excess = scan(piece);
    if (excess) throw new TooMuch(excesses[excess]);
    await pace(piece.length);
  }
}

/** Reads JSON, or a form whose field `payload` holds JSON. Checks in slices what it parses at once. */
export async function readPayload(contentType: string, body: Uint8Array): Promise<ReadPayload> {
  const pace = pacer(pieceBytes);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const isForm = contentType.trimStart().toLowerCase().startsWith("application/x-www-form-urlencoded");
  try {
    const json = isForm ? await formDecoded(payloadField(bytes), pace) : bytes;
    await checkExcess(json, { maxDepth, maxValues }, pace);
    return { payload: JSON.parse(json.toString()) };
  } catch (error) {
    return error instanceof TooMuch ? { excess: error.message } : {};
  }
}

/** Reads the JSON of a provider's response. Returns undefined if it is none, or too much to parse at once. */
export async function readResponse(body: Buffer): Promise<unknown> {
  try {
    await checkExcess(body, { maxDepth, maxValues: maxResponseValues }, pacer(pieceBytes));
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
