import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import busboy from "busboy";
import { Refusal } from "../http/answer.js";
import { type Feed, feed } from "./feed.js";
import { addField, type FormFields, maxFields, tooManyFields } from "./fields.js";
import { holding, tooLate } from "./holding.js";
import { type BodyWatch, defaultPace, type Pace, readAll, tooLarge, watchBody } from "./incoming.js";

/** The fields of a multipart form and the content of its part `file`. */
export interface Form {
  readonly fields: FormFields;
  readonly file?: AsyncIterable<Buffer>;
}

interface FormLimits {
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

/** Reads the parts of a form as they arrive. */
class FormReading {
  /** Resolves at the end of the form, or when its file is handed over. Rejects if the form is invalid before. */
  readonly form: Promise<Form>;
  readonly #ended: Promise<void>;
  #end!: () => void;
  #fail!: (error: Error) => void;
  #handOver!: () => void;
  readonly #body: BodyWatch;
  readonly #feed: Feed;
  readonly #fields: Record<string, string | string[]> = Object.create(null);
  #otherBytes = 0;
  #file: AsyncIterable<Buffer> | undefined;
  /** The file is already being processed: further fields come too late. */
  #isHandedOver = false;
  /** Hands over the file that is arriving. */
  #hurry: (() => void) | undefined;

  constructor(
    request: IncomingMessage,
    private readonly parser: busboy.Busboy,
    private readonly limits: Required<FormLimits>,
  ) {
    this.#ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    this.form = new Promise((resolve, reject) => {
      this.#handOver = () => resolve({ fields: this.#fields, file: this.#file });
      this.#ended.then(this.#handOver, reject);
    });
    const maxBytes = limits.heldBytes === 0 ? limits.limitBytes : Number.POSITIVE_INFINITY;
    const watch = { maxBytes, stop: (error: Error) => this.#stop(error), slow: (error: Error) => this.#slow(error) };
    this.#body = watchBody(request, limits.pace, watch);
    // Last, because the parser may report an error for the first bytes, which must have been counted.
    this.#feed = feed(request, parser);
    parser
      .on("field", (name, value, { valueTruncated }) => this.#addField(name, value, valueTruncated))
      .on("file", (name, stream) => this.#addFile(name, stream))
      .on("partsLimit", () => this.#stop(tooManyFields()))
      .on("error", () => this.#stop(malformed()))
      .on("close", () => this.#finish());
  }

  /** Despite its types, the parser omits a missing name, and a value in an unknown charset. */
  #addField(name: string | undefined, value: string | undefined, isTruncated: boolean): void {
    if (value === undefined) return void this.#stop(malformed());
    if (name === undefined) return;
    if (isTruncated) return void this.#stop(tooLarge());
    this.#count(Buffer.byteLength(name) + Buffer.byteLength(value));
    if (this.#isHandedOver) return void this.#stop(tooLate());
    addField(this.#fields, name, value);
  }

  #addFile(name: string, stream: Readable): void {
    const { heldBytes, pace } = this.limits;
    if (heldBytes === 0 || name !== "file" || this.#file) return void this.#drop(stream);
    const { held, start, hurry } = holding(stream, heldBytes, this.#ended);
    const { timeoutMs: _, ...rateOnly } = pace;
    this.#file = held;
    this.#hurry = hurry;
    this.#body.setPace(rateOnly);
    stream.once("close", () => {
      this.#hurry = undefined;
      this.#body.setPace(pace);
    });
    void start.then((isEarly) => {
      if (!isEarly) return;
      this.#isHandedOver = true;
      // What has been handed over arrives as fast as it is stored.
      if (this.#hurry) this.#body.setPace(undefined);
      this.#handOver();
    });
  }

  /** Reads a file that nobody wants; its bytes count as those of a field. */
  #drop(stream: Readable): void {
    // The form's own error follows that of a file that breaks off.
    stream.on("error", () => {}).on("data", (chunk: Buffer) => this.#count(chunk.length));
  }

  #count(sizeBytes: number): void {
    this.#otherBytes += sizeBytes;
    if (this.#otherBytes > this.limits.limitBytes) this.#stop(tooLarge());
  }

  #slow(error: Error): void {
    this.#feed.flush();
    if (this.#hurry) this.#hurry();
    else this.#stop(error);
  }

  #finish(): void {
    this.#body.end();
    this.#end();
  }

  #stop(error: Error): void {
    this.#feed.stop();
    // An empty body has no fields, whatever its Content-Type.
    if (this.#body.isEmpty()) return void this.#finish();
    this.#body.end();
    this.#fail(error);
    this.parser.destroy();
  }
}

/**
 * Reads a multipart form to its end, or until its file exceeds `heldBytes` or arrives too slowly. From then on the file is
 * a stream, and a field that follows it fails the stream: fields had to come first.
 */
export function readForm(request: IncomingMessage, given: FormLimits): Promise<Form> {
  const limits = { pace: defaultPace, ...given };
  const parser = parserOf(request, limits.limitBytes);
  return parser ? new FormReading(request, parser, limits).form : withoutBoundary(request, limits.limitBytes);
}
