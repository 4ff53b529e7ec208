import type { Readable } from "node:stream";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Refusal } from "../http/answer.js";

const refusal = "Form fields must come before a file of this size";
export const tooLate = (): Refusal => new Refusal(400, refusal);

/** Exceeds the default limit of objects, so that the fields of such a form may come in any order. */
export const heldBytes = fixedLimit({
  max: 8 * 1024 * 1024,
  unit: "bytes",
  about: "content of an uploaded form that may come before its fields",
  refusal,
});
const maxAllHeld = fixedLimit({
  max: 32 * 1024 * 1024,
  unit: "bytes",
  about: "such content of all forms that a gateway is receiving",
  effect: "fields may follow smaller files only",
});
const maxHeldBeyond = fixedLimit({
  max: 256 * 1024,
  unit: "bytes",
  about: "content of a form that may come before its fields then",
  refusal,
});

let allHeld = 0;

/**
 * Holds the beginning of a stream. `start` resolves with false if the stream ends, or with true once it exceeds what may be
 * held or `hurry` is called. `held` is the whole stream; it ends after the form has `ended` and fails with the form.
 */
export function holding(stream: Readable, maxBytes: number, ended: Promise<void>) {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>;
  const beginning: Buffer[] = [];
  let sizeBytes = 0;
  let isReleased = false;
  let hurry = () => {};
  const early = new Promise<boolean>((resolve) => {
    hurry = () => resolve(true);
  });
  const isFull = () => sizeBytes > (allHeld > maxAllHeld ? Math.min(maxBytes, maxHeldBeyond) : maxBytes);
  async function hold(): Promise<boolean> {
    while (!isReleased && !isFull()) {
      const { done, value } = await chunks.next();
      if (done) return false;
      beginning.push(value);
      if (isReleased) break;
      sizeBytes += value.length;
      allHeld += value.length;
    }
    return true;
  }
  // Truncated content also fails the form, with an error for the client.
  const held = hold().catch(() => false);
  const start = Promise.race([held, early]);
  const release = () => {
    isReleased = true;
    allHeld -= sizeBytes;
  };
  start.then((isEarly) => (isEarly ? undefined : ended)).then(release, release);
  async function* all(): AsyncGenerator<Buffer> {
    for (const step of [start, held]) {
      await step;
      for (let next = beginning.shift(); next; next = beginning.shift()) yield next;
    }
    try {
      yield* chunks;
    } catch {}
    await ended;
  }
  return { held: all(), start, hurry };
}
