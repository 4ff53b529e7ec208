import type { IncomingMessage } from "node:http";
import { joined } from "@ci/kit/bytes/joined";
import { Pieces } from "@ci/kit/bytes/pieces";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Refusal } from "../http/answer.js";
import type { Watch } from "../limits/arriving.js";

type BodyKind = "json" | "urlencoded" | "multipart" | "raw";

const kinds = [
  ["application/json", "json"],
  ["application/x-www-form-urlencoded", "urlencoded"],
  ["multipart/form-data", "multipart"],
] as const;

/** Returns how to parse a request's body. Ignores the parameters of the Content-Type. */
export function bodyKind({ headers }: IncomingMessage): BodyKind {
  const type = (headers["content-type"] ?? "").trimStart().toLowerCase();
  return kinds.find(([start]) => type.startsWith(start))?.[1] ?? "raw";
}

export const tooLarge = (): Refusal => new Refusal(413, "Request body too large");

/** Returns the error that stops reading a body when its client has disconnected. No client receives it. */
const cutOff = (): Refusal => new Refusal(400, "Request body ended too early");

const slowly = "Request body arrives too slowly; send it again over a faster connection";
const tooSlow = () => new Refusal(400, slowly);

/** How slowly a body may arrive: its total time if that is limited, and how much of it within each window. */
export interface Pace {
  readonly timeoutMs?: number;
  readonly windowMs: number;
  readonly windowBytes: number;
}

const slow = { refusal: slowly };

/** One KiB per second is slower than any network that clients use. */
export const defaultPace: Pace = {
  timeoutMs: fixedLimit({
    max: 5 * 60_000,
    unit: "ms",
    about: "time to send a JSON body, or a form without its file",
    ...slow,
  }),
  windowMs: 10_000,
  windowBytes: fixedLimit({
    max: 10 * 1024,
    unit: "bytes",
    about: "least of a JSON, form or hook body that must arrive every ten seconds",
    ...slow,
  }),
};

/** Calls `stop` once a body arrives too slowly. Returns a function that ends the watch. */
function watchPace(request: IncomingMessage, pace: Pace, stop: (error: Error) => void): () => void {
  let windowBytes = 0;
  const count = (chunk: Buffer) => {
    windowBytes += chunk.length;
  };
  const tick = () => {
    if (windowBytes < pace.windowBytes) stop(tooSlow());
    windowBytes = 0;
  };
  const timeout = pace.timeoutMs === undefined ? undefined : setTimeout(() => stop(tooSlow()), pace.timeoutMs);
  // After a pause of this process, what has arrived meanwhile is counted first.
  const windows = setInterval(() => setImmediate(tick), pace.windowMs);
  request.on("data", count);
  return () => {
    clearTimeout(timeout);
    clearInterval(windows);
    request.off("data", count);
  };
}

interface Watched {
  readonly maxBytes: number;
  /** Called when the body is too large, or when its client has disconnected. */
  readonly stop: (error: Error) => void;
  readonly slow: (error: Error) => void;
}

export interface BodyWatch {
  /** Watches for this pace from now on, or for none. */
  setPace(pace: Pace | undefined): void;
  /** Reports whether the body has ended without a byte. */
  isEmpty(): boolean;
  end(): void;
}

/** Watches how a body arrives. */
export function watchBody(request: IncomingMessage, pace: Pace, { maxBytes, stop, slow }: Watched): BodyWatch {
  let readBytes = 0;
  let isOver = false;
  let endPace = watchPace(request, pace, slow);
  const count = (chunk: Buffer) => {
    readBytes += chunk.length;
    if (readBytes > maxBytes) stop(tooLarge());
  };
  // A complete request also closes, perhaps before its last part has been read.
  const cut = () => {
    if (!request.readableEnded) stop(cutOff());
  };
  request.on("data", count).once("close", cut);
  return {
    setPace(next) {
      if (isOver) return;
      endPace();
      endPace = next ? watchPace(request, next, slow) : () => {};
    },
    isEmpty: () => readBytes === 0 && request.readableEnded,
    end() {
      isOver = true;
      endPace();
      request.off("data", count).off("close", cut);
    },
  };
}

const unwatched: Watch = () => () => undefined;

/** Reads the whole body. Throws 413 as soon as it exceeds the limit; the rest is then still arriving. */
export function readAll(
  request: IncomingMessage,
  limitBytes: number,
  pace: Pace = defaultPace,
  watch: Watch = unwatched,
): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const pieces = new Pieces();
    const stop = (error: Error) => done(() => reject(error));
    const watches = [watchPace(request, pace, stop), watch(request, stop)];
    const done = (settle: () => void) => {
      for (const end of watches) end();
      request.off("data", take).off("end", end).off("error", cut).off("close", cut);
      settle();
    };
    const take = (chunk: Buffer) => {
      pieces.add(chunk);
      if (pieces.sizeBytes > limitBytes) done(() => reject(tooLarge()));
    };
    const end = () => done(() => resolve(pieces.all()));
    const cut = () => done(() => reject(cutOff()));
    request.on("data", take).on("end", end).on("error", cut).on("close", cut);
  });
}

/** Yields the body as it arrives. If the reader stops early, the request stays open for its response. */
export async function* contentOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* joined(request, request.iterator({ destroyOnReturn: false }));
  } catch {
    throw cutOff();
  }
}
