import { setTimeout as pause } from "node:timers/promises";
import { Agent, type Dispatcher, request } from "undici";

/** The failures of all clients. The test expects none. */
export type Failures = string[];

export interface Target {
  readonly origin: string;
  readonly token: string;
}

/** Returns a client that keeps one connection open and retries nothing. */
export function client({ origin, token }: Target) {
  const dispatcher = new Agent({ connections: 1, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };

  /** Sends a request. Throws unless the status is 2xx. */
  async function send<T>(path: string, body?: unknown): Promise<T> {
    const postOptions = body === undefined ? {} : { method: "POST" as const, body: JSON.stringify(body) };
    const response = await request(new URL(path, origin), { dispatcher, headers, ...postOptions });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${response.statusCode} ${text}`);
    return JSON.parse(text) as T;
  }

  /** Opens a stream of the events after `lastEventId`. */
  async function open(path: string, lastEventId: string | undefined): Promise<Dispatcher.ResponseData["body"]> {
    const resumeHeaders = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const streaming = { ...headers, accept: "text/event-stream", ...resumeHeaders };
    const response = await request(new URL(path, origin), { dispatcher, headers: streaming });
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${await response.body.text()}`);
    return response.body;
  }

  return { send, open, [Symbol.asyncDispose]: () => dispatcher.destroy() };
}

/** Repeats a step every 200 ms until the signal, records failures and returns the number of steps. */
export async function repeatedly(
  name: string,
  target: Target,
  { failures, signal }: { readonly failures: Failures; readonly signal: AbortSignal },
  step: (send: ReturnType<typeof client>["send"], nth: number) => Promise<unknown>,
): Promise<number> {
  await using connection = client(target);
  let nth = 0;
  for (; !signal.aborted; nth++) {
    await step(connection.send, nth).catch((error) => failures.push(`${name}: ${describe(error)}`));
    await pause(200);
  }
  return nth;
}

const describe = (error: Error & { code?: string }): string =>
  `${new Date().toISOString()} ${error.message} ${error.code ?? ""}`;

export interface StreamEvent {
  readonly event?: string;
  readonly id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: records of the API
  readonly data?: any;
}

function parse(block: string): StreamEvent {
  const lines = block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
  const { event, id, data } = Object.fromEntries(lines);
  return { event, id, data: data && JSON.parse(data) };
}

/**
 * Follows a stream like a browser: when it ends, the client reconnects and names its last event. A broken connection is
 * a failure. Ends when `onEvent` returns true for the last event, or at the signal.
 */
export async function follow(
  target: Target,
  path: string,
  options: { readonly failures: Failures; readonly signal?: AbortSignal; onEvent(streamEvent: StreamEvent): boolean },
): Promise<void> {
  await using connection = client(target);
  options.signal?.addEventListener("abort", () => void connection[Symbol.asyncDispose]());
  let last: string | undefined;
  while (!options.signal?.aborted) {
    try {
      let text = "";
      for await (const chunk of (await connection.open(path, last)).setEncoding("utf8")) {
        const complete = (text + chunk).split("\n\n");
        text = complete.pop()!;
        for (const streamEvent of complete.filter((block) => !block.startsWith(":")).map(parse)) {
          last = streamEvent.id ?? last;
          if (options.onEvent(streamEvent)) return;
        }
      }
    } catch (error) {
      if (!options.signal?.aborted) options.failures.push(`stream ${path}: ${describe(error as Error)}`);
    }
    await pause(50);
  }
}
