import { EventSourceParserStream } from "eventsource-parser/stream";
import { ApiError, ForeignResponse, mayPass } from "./errors.js";

/** An event of a stream. `id` is its position: a later stream continues after it. */
export interface StreamEvent {
  readonly event: string;
  readonly id?: string | undefined;
  readonly data: unknown;
}

export interface FollowOptions {
  /** Continues after the event with this id. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with true when the stream opens, and with false and the error, if any, when the connection is lost. */
  readonly onConnection?: ((connected: boolean, error?: unknown) => void) | undefined;
  /** Whether to go on trying if the server cannot be reached at first. Default: the error is thrown. */
  readonly waitsForServer?: boolean | undefined;
  /** Whether to go on trying while something else answers, such as a proxy's sign-in page. Default: a ForeignResponse is thrown. */
  readonly waitsForProxy?: boolean | undefined;
  /** Called with the comments of the stream, such as why a build waits. Heartbeats are empty comments. */
  readonly onComment?: ((comment: string) => void) | undefined;
}

const firstPauseMs = 250;
const maxPauseMs = 15_000;
const maxRetryAfterMs = 300_000;
/** A stream of events begins with a block that has nothing but its position. The parser passes over such blocks. */
const maxHead = 256;
/** The server sends a comment every 15 s. A connection that is silent for longer is dead. */
const longestSilenceMs = 45_000;

/** Returns the pause after an error, in milliseconds: the usual one, or a longer one that the server asks for. */
export function pauseAfter(error: unknown, usualMs: number): number {
  const seconds = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0;
  return Math.max(usualMs, Math.min(seconds * 1_000, maxRetryAfterMs));
}

/** Resolves after `ms`, or at the signal. */
const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });

/** Aborts with its parent, or when nothing calls `heard` for too long while it waits for the server. */
function watchdog(parent: AbortSignal | undefined, maxSilenceMs: number) {
  const silent = new AbortController();
  const bite = () => silent.abort(new DOMException("The server is silent", "TimeoutError"));
  let timer = setTimeout(bite, maxSilenceMs);
  let waits = true;
  const heard = () => {
    clearTimeout(timer);
    if (waits) timer = setTimeout(bite, maxSilenceMs);
  };
  return {
    signal: parent ? AbortSignal.any([parent, silent.signal]) : silent.signal,
    heard,
    wait(on: boolean): void {
      waits = on;
      heard();
    },
  };
}

/**
 * Yields the events of a stream. After a lost connection it reconnects and continues after the last event, so each event
 * is yielded once. Returns after the event `end`, and at the signal. Throws an ApiError if the server refuses, a
 * ForeignResponse if `open` throws one, unless it waits for proxies, and what else `open` throws if the first connection fails.
 */
export async function* follow(
  open: (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>,
  { after, signal, onConnection, onComment, waitsForServer = false, waitsForProxy = false }: FollowOptions = {},
  maxSilenceMs = longestSilenceMs,
): AsyncGenerator<StreamEvent> {
  let last = after;
  let pauseMs = firstPauseMs;
  let retries = waitsForServer;
  while (!signal?.aborted) {
    const watched = watchdog(signal, maxSilenceMs);
    let lostBy: unknown;
    try {
      const headers = { Accept: "text/event-stream", ...(last === undefined ? {} : { "Last-Event-ID": last }) };
      const { body } = await open(headers, watched.signal);
      retries = true;
      onConnection?.(true);
      const begins = (id: string) => {
        last = id;
      };
      const raw = body!.pipeThrough(heardBy(watched.heard)).pipeThrough(new TextDecoderStream());
      const blocks = raw.pipeThrough(startOf(begins)).pipeThrough(new EventSourceParserStream({ onComment }));
      for await (const { event = "message", id, data } of blocks) {
        pauseMs = firstPauseMs;
        last = id ?? last;
        if (data !== "") {
          watched.wait(false);
          yield { event, id, data: JSON.parse(data) };
          watched.wait(true);
        }
        if (event === "end") return;
      }
    } catch (error) {
      if (signal?.aborted) return;
      const passes =
        error instanceof ForeignResponse ? waitsForProxy : error instanceof ApiError ? mayPass(error) : retries;
      if (!passes) throw error;
      lostBy = error;
      pauseMs = pauseAfter(error, pauseMs);
    } finally {
      watched.wait(false);
    }
    if (signal?.aborted) return;
    onConnection?.(false, lostBy);
    await pause(pauseMs * (0.75 + Math.random() / 2), signal);
    pauseMs = Math.min(2 * pauseMs, maxPauseMs);
  }
}

const heardBy = (heard: () => void) =>
  new TransformStream<Uint8Array, BufferSource>({
    transform(chunk, controller) {
      heard();
      controller.enqueue(chunk as Uint8Array<ArrayBuffer>);
    },
  });

/** Passes the position on with which a stream begins, if it says so. */
function startOf(found: (id: string) => void) {
  let head: string | undefined = "";
  return new TransformStream<string, string>({
    transform(text, controller) {
      if (head !== undefined) head += text;
      const id = /^id: (.*)\n\n/.exec(head ?? "")?.[1];
      if (id !== undefined) found(id);
      if (id !== undefined || (head?.length ?? 0) > maxHead) head = undefined;
      controller.enqueue(text);
    },
  });
}
