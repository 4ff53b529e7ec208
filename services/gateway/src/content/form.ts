import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import busboy from "busboy";
import { Refusal } from "../http/answer.js";
import { feed } from "./feed.js";
import { type FormFields, maxFields, tooManyFields } from "./fields.js";
import { holding } from "./holding.js";
import { cutOff, defaultPace, type Pace, readAll, tooLarge, watchPace } from "./incoming.js";

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
  readonly pace?: Pace;
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

interface Reading {
  readonly request: IncomingMessage;
  readonly parser: busboy.Busboy;
  readonly limits: Required<FormLimits>;
  readonly fields: Record<string, string | string[]>;
  /** The file is already being processed: further fields come too late. */
  handedOver: boolean;
  /** Hands over the file that is arriving. */
  hurry?: (() => void) | undefined;
  /** Watches for this pace instead, or for none: what has been handed over arrives as fast as it is stored. */
  watch?: ((pace?: Pace) => void) | undefined;
  /** Reads a file that nobody wants; its bytes count as those of a field. */
  drop?: (stream: Readable) => unknown;
}

/** Collects the fields. Resolves at the end of the form; rejects if the form is invalid. */
const collectFields = (reading: Reading): Promise<void> =>
  new Promise((end, fail) => {
    const { request, parser, fields } = reading;
    const { limitBytes, heldBytes, pace } = reading.limits;
    let readBytes = 0;
    let otherBytes = 0;
    const slow = (error: Error) => {
      fed.flush();
      if (reading.hurry) reading.hurry();
      else stop(error);
    };
    let unwatch = watchPace(request, pace, slow);
    reading.watch = (pace) => {
      unwatch();
      unwatch = pace ? watchPace(request, pace, slow) : () => {};
    };
    const release = () => {
      unwatch();
      reading.watch = undefined;
      request.off("data", count).off("close", cut);
    };
    const stop = (error: Error) => {
      fed.stop();
      release();
      // An empty body has no fields, whatever its Content-Type.
      if (readBytes === 0 && request.readableEnded) return end();
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
    // Last, because the parser may report an error for the first bytes, which must have been counted.
    const fed = feed(request, parser);
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
 * Reads a multipart form to its end, or until its file exceeds `heldBytes` or arrives too slowly. From then on the file is
 * a stream, and a field that follows it fails the stream: fields had to come first.
 */
export function readForm(request: IncomingMessage, given: FormLimits): Promise<Form> {
  const limits = { pace: defaultPace, ...given };
  const { timeoutMs: _, ...rateOnly } = limits.pace;
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
      const { held, start, hurry } = holding(stream, limits.heldBytes, ended);
      file = held;
      reading.hurry = hurry;
      reading.watch?.(rateOnly);
      stream.once("close", () => {
        reading.hurry = undefined;
        reading.watch?.(limits.pace);
      });
      void start.then((early) => {
        if (!early) return;
        reading.handedOver = true;
        if (reading.hurry) reading.watch?.();
        resolve({ fields, file });
      });
    });
  });
}
