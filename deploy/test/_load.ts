import { setTimeout as pause } from "node:timers/promises";
import { Agent, type Dispatcher, request } from "undici";

/** The failures that clients have seen. The test expects none. */
export type Failures = string[];

export interface Target {
  readonly origin: string;
  readonly token: string;
}

/** A client with one connection, which it keeps open as long as possible. It repeats nothing. */
export function client({ origin, token }: Target) {
  const dispatcher = new Agent({ connections: 1, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };

  /** Sends a request. Throws unless the status is 2xx. */
  async function ask<T>(path: string, body?: unknown): Promise<T> {
    const posted = body === undefined ? {} : { method: "POST" as const, body: JSON.stringify(body) };
    const response = await request(new URL(path, origin), { dispatcher, headers, ...posted });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${response.statusCode} ${text}`);
    return JSON.parse(text) as T;
  }

  /** Opens a stream of the events after `lastEventId`. */
  async function open(path: string, lastEventId: string | undefined): Promise<Dispatcher.ResponseData["body"]> {
    const resuming = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const streaming = { ...headers, accept: "text/event-stream", ...resuming };
    const response = await request(new URL(path, origin), { dispatcher, headers: streaming });
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${await response.body.text()}`);
    return response.body;
  }

  return { ask, open, [Symbol.asyncDispose]: () => dispatcher.destroy() };
}

/** Repeats a step several times a second until the signal. Records failures. */
export async function repeatedly(
  what: string,
  target: Target,
  { failures, signal }: { readonly failures: Failures; readonly signal: AbortSignal },
  step: (ask: ReturnType<typeof client>["ask"], nth: number) => Promise<unknown>,
): Promise<number> {
  await using one = client(target);
  let nth = 0;
  for (; !signal.aborted; nth++) {
    await step(one.ask, nth).catch((error) => failures.push(`${what}: ${describe(error)}`));
    await pause(200);
  }
  return nth;
}

const describe = (error: Error & { code?: string }): string =>
  `${new Date().toISOString()} ${error.message} ${error.code ?? ""}`;

/** One event of a stream. */
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
 * Follows a stream like a browser: when it ends, the client reconnects and names its last event. A connection that breaks
 * is a failure. Ends when `hear` reports the last event, or at the signal.
 */
export async function follow(
  target: Target,
  path: string,
  on: { readonly failures: Failures; readonly signal?: AbortSignal; hear(told: StreamEvent): boolean },
): Promise<void> {
  await using one = client(target);
  on.signal?.addEventListener("abort", () => void one[Symbol.asyncDispose]());
  let last: string | undefined;
  while (!on.signal?.aborted) {
    try {
      let text = "";
      for await (const chunk of (await one.open(path, last)).setEncoding("utf8")) {
        const whole = (text + chunk).split("\n\n");
        text = whole.pop()!;
        for (const told of whole.filter((block) => !block.startsWith(":")).map(parse)) {
          last = told.id ?? last;
          if (on.hear(told)) return;
        }
      }
    } catch (error) {
      if (!on.signal?.aborted) on.failures.push(`stream ${path}: ${describe(error as Error)}`);
    }
    await pause(50);
  }
}
