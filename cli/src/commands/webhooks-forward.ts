import type { Handler } from "../command.js";
import { type DeliveryRequest, deliveryRequest } from "../delivery-request.js";
import { UsageError } from "../exit.js";
import { lostNote, reasonOf } from "../explain.js";
import { visible } from "../format/visible.js";
import { type Io, note, print, printJsonLine } from "../io.js";
import { findNamespace, namespacePath } from "../namespace-ref.js";
import { readGiven } from "../request-fields.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

const timeoutMs = 15_000;

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`"${text}" is not an address. It begins with http:// or https://`);
  if (url.username || url.password) throw new UsageError(`"${text}" is not an address: leave out the user`);
  return url;
}

interface Outcome {
  readonly code: number | null;
  readonly error: string | null;
}

function failureOf(error: unknown): string {
  const { name } = error as Error;
  return name === "TimeoutError" ? "timeout" : reasonOf(error as Error);
}

/** Sends a request, as a webhook does. Throws only when the user interrupts. */
async function send({ signal }: Io, url: URL, { headers, body }: DeliveryRequest): Promise<Outcome> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return { code: response.status, error: response.ok ? null : `unexpected status ${response.status}` };
  } catch (error) {
    if (signal.aborted) throw error;
    return { code: null, error: failureOf(error) };
  }
}

export const run: Handler<Specs["webhooks forward"]> = async (io, { address, namespace = "", secret, kind, after }) => {
  const url = urlOf(address);
  const key = secret === undefined ? undefined : await readGiven(io, "secret", secret);
  const session = await connect(io);
  const path = `${namespacePath(await findNamespace(session, namespace))}/-/events`;
  const onConnection = (connected: boolean, error?: unknown) =>
    note(io, connected ? `Forwarding events to ${url.href}` : lostNote(error));
  for await (const { id = "", event, data } of session.client.follow(path, {
    after,
    signal: io.signal,
    onConnection,
  })) {
    if (kind && !kind.includes(event)) continue;
    const request = deliveryRequest(event, data, key);
    const startedMs = performance.now();
    const { code, error } = await send(io, url, request);
    const ms = Math.round(performance.now() - startedMs);
    const outcome = error ?? String(code);
    if (io.options.json)
      await printJsonLine(io, { id, event, delivery_id: request.deliveryId, code, error, duration: ms * 1e6 });
    else if (io.options.quiet) await print(io, visible(outcome));
    else await print(io, [id, event, outcome, `${ms} ms`].map(visible).join("\t"));
  }
};
