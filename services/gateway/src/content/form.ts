import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { Pieces } from "@ci/kit/bytes/pieces";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import busboy from "busboy";
import { Refusal } from "../http/answer.js";
import { type FormFields, maxFields, tooManyFields } from "./fields.js";
import { cutOff, defaultPace, readAll, tooLarge, watchPace } from "./incoming.js";

/** The fields of a multipart form and the content of its part `file`. */
export interface Form {
  readonly fields: FormFields;
  readonly file?: AsyncIterable<Buffer>;
}

export interface FormLimits {
  /** The limit of everything but the file. */
  readonly limitBytes: number;
  /** How much of the file is held in memory, since fields may follow it; 0 if no file is expected. */
  readonly heldBytes: number;
}

const malformedForm = "Malformed form; check its boundaries, names and charsets, and that it is complete";
const malformed = () => new Refusal(400, malformedForm);

/** Rejects a form without boundary unless it is empty. */
async function withoutBoundary(request: IncomingMessage, limitBytes: number): Promise<Form> {
  const bytes = await readAll(request, limitBytes);
  if (bytes.length > 0) throw malformed();
  return { fields: {} };
}

/** A boundary has up to 70 characters (RFC 2046, 5.1.1). The search for it may take its length times that of the body. */
const maxTypeLength = fixedLimit({
  max: 256,
  about: "characters of the Content-Type of a form",
  refusal: malformedForm,
});

function parserOf({ headers }: IncomingMessage, limitBytes: number): busboy.Busboy | undefined {
  if ((headers["content-type"] ?? "").length > maxTypeLength) return undefined;
  try {
    // The parser reports its limit at the end of the part that reaches it.
    const limits = { fieldSize: limitBytes, fieldNameSize: 1_024, parts: maxFields + 1 };
    return busboy({ headers, limits });
  } catch {
    return undefined;
  }
}

/** The parser keeps each chunk of a field, and clients may send single bytes. */
const joinedBytes = 16 * 1024;

/** Pipes the body to the parser, in chunks of at least 16 KiB. */
function feed(request: IncomingMessage, parser: busboy.Busboy) {
  let pieces = new Pieces();
  const pass = () => {
    const bytes = pieces.all();
    pieces = new Pieces();
    return bytes.length === 0 || parser.write(bytes);
  };
  const resume = () => void request.resume();
  const take = (chunk: Buffer) => {
    pieces.add(chunk);
    if (pieces.sizeBytes >= joinedBytes && !pass()) request.pause();
  };
  const end = () => void parser.end(pieces.all());
  request.on("data", take).once("end", end);
  parser.on("drain", resume);
  const stop = () => {
    request.off("data", take).off("end", end).pause();
    parser.off("drain", resume);
  };
  return { stop };
}

interface Reading {
  readonly request: IncomingMessage;
  readonly parser: busboy.Busboy;
  readonly limits: FormLimits;
  readonly fields: Record<string, string | string[]>;
  /** The file is already being processed: further fields come too late. */
  handedOver: boolean;
  /** Reads a file that nobody wants; its bytes count as those of a field. */
  drop?: (stream: Readable) => unknown;
}

/** Collects the fields. Resolves at the end of the form; rejects if the form is invalid. */
const collectFields = (reading: Reading): Promise<void> =>
  new Promise((end, fail) => {
    const { request, parser, fields } = reading;
    const { limitBytes, heldBytes } = reading.limits;
    let readBytes = 0;
    let otherBytes = 0;
    // An upload arrives as fast as its content is stored.
    const unwatch = heldBytes === 0 ? watchPace(request, defaultPace, (error) => stop(error)) : () => {};
    const fed = feed(request, parser);
    const release = () => {
      unwatch();
      request.off("data", count).off("close", cut);
    };
    const stop = (error: Error) => {
      fed.stop();
      release();
      // An empty body has no fields, whatever its Content-Type.
      if (readBytes === 0) return end();
      fail(error);
      parser.destroy();
    };
    const count = (chunk: Buffer) => {
      readBytes += chunk.length;
      if (heldBytes === 0 && readBytes > limitBytes) stop(tooLarge());
    };
    // A complete request also closes, perhaps before its last part has been read.
    const cut = () => {
      if (!request.readableEnded) stop(cutOff());
    };
    request.on("data", count).once("close", cut);
    const keep = (sizeBytes: number) => {
      otherBytes += sizeBytes;
      if (otherBytes > limitBytes) stop(tooLarge());
    };
    parser.on("error", () => stop(malformed())).on("partsLimit", () => stop(tooManyFields()));
    // The form's own error follows that of a file that breaks off.
    reading.drop = (stream) => stream.on("error", () => {}).on("data", (chunk: Buffer) => keep(chunk.length));
    // Despite its types, the parser omits a missing name, and a value in an unknown charset.
    parser.on("field", (name: string | undefined, value: string | undefined, { valueTruncated }) => {
      if (value === undefined) return stop(malformed());
      if (name === undefined) return;
      if (valueTruncated) return stop(tooLarge());
      keep(Buffer.byteLength(name) + Buffer.byteLength(value));
      if (reading.handedOver) return stop(new Refusal(400, "Form fields must come before a file of this size"));
      const before = fields[name];
      fields[name] = before === undefined ? value : [before, value].flat();
    });
    parser.on("close", () => {
      release();
      end();
    });
  });

/**
 * Reads a multipart form to its end, or until its file exceeds `heldBytes`. From then on the file is a stream, and a
 * field that follows it fails the stream: fields had to come first.
 */
export function readForm(request: IncomingMessage, limits: FormLimits): Promise<Form> {
  const parser = parserOf(request, limits.limitBytes);
  if (!parser) return withoutBoundary(request, limits.limitBytes);
  const reading: Reading = { request, parser, limits, fields: Object.create(null), handedOver: false };
  const { fields } = reading;
  const ended = collectFields(reading);
  return new Promise((resolve, reject) => {
    let file: AsyncIterable<Buffer> | undefined;
    ended.then(() => resolve({ fields, file }), reject);
    parser.on("file", (name, stream) => {
      if (limits.heldBytes === 0 || name !== "file" || file) return reading.drop?.(stream);
      const { held, start } = holding(stream, limits.heldBytes, ended);
      file = held;
      void start.then((large) => {
        if (!large) return;
        reading.handedOver = true;
        resolve({ fields, file });
      });
    });
  });
}

/**
 * Holds the beginning of a stream. `start` resolves with true once the stream exceeds `heldBytes`, with false if it ends
 * before. `held` is the whole stream; it ends after the form has `ended` and fails with the form.
 */
function holding(stream: Readable, heldBytes: number, ended: Promise<void>) {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>;
  const beginning: Buffer[] = [];
  async function hold(): Promise<boolean> {
    for (let sizeBytes = 0; sizeBytes <= heldBytes; ) {
      const { done, value } = await chunks.next();
      if (done) return false;
      beginning.push(value);
      sizeBytes += value.length;
    }
    return true;
  }
  // Truncated content also fails the form, with an error for the client.
  const start = hold().catch(() => false);
  async function* all(): AsyncGenerator<Buffer> {
    await start;
    yield* beginning;
    try {
      yield* chunks;
    } catch {}
    await ended;
  }
  return { held: all(), start };
}
