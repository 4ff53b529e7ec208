import type { Call, CallServiceImplementation, Reply } from "@ci/proto/common/v1/calls";
import { type CallContext, Metadata, ServerError, Status } from "nice-grpc";
import { faultKey } from "./fault.js";
import { maxMessageBytes } from "./method.js";
import { takeMessage } from "./one-message.js";
import type { Call as Served } from "./served-call.js";

/** A method that takes one message and returns one. */
export interface Unary {
  decode(request: Buffer): unknown;
  encode(response: unknown): Buffer;
  call(request: unknown, context: CallContext): Promise<unknown>;
}

const none = Buffer.alloc(0);
const maxResponseBytes = maxMessageBytes - 1024;
const bytesOf = ({ response, failure }: Reply): number => 1024 + response.length + (failure?.fault?.length ?? 0);
/** A client that drains has all replies long before. */
const drainMs = 60_000;

/** Carries out a call of a stream. Never rejects. */
async function replyTo(
  { id, path, request }: Call,
  method: Unary | undefined,
  context: () => CallContext,
): Promise<Reply> {
  let trailer: Metadata | undefined;
  try {
    if (!method) throw new ServerError(Status.UNIMPLEMENTED, `No method ${path}`);
    const own = context();
    trailer = own.trailer;
    const response = method.encode(await method.call(method.decode(request), own));
    if (response.length > maxResponseBytes) throw new ServerError(Status.RESOURCE_EXHAUSTED, "Response too large");
    return { id, response };
  } catch (thrown) {
    const { code, details } = thrown instanceof ServerError ? thrown : { code: Status.INTERNAL, details: "" };
    const fault = trailer?.get(faultKey);
    return { id, response: none, failure: { code, details, fault: fault && Buffer.from(fault) } };
  }
}

/** Gathers replies, so that those of one turn of the event loop share a message. */
function gather() {
  const replies: Reply[] = [];
  let wake = () => {};
  return {
    add(reply: Reply): void {
      if (replies.push(reply) === 1) setImmediate(() => wake());
    },
    /** Returns the replies of the next message, if there are any. */
    take: () => takeMessage(replies, bytesOf),
    /** Resolves at the next call of `wake`, or after the next reply. */
    next: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      }),
    wake: () => wake(),
  };
}

interface Carrying {
  readonly methodsByPath: ReadonlyMap<string, Unary>;
  /** After this time the server drains a stream, and its client opens another one, perhaps at a new replica. */
  readonly takeMs: number;
  /** Puts what the stream proves about its peer into the metadata of a call. */
  readonly vouch: (stream: Metadata, call: Metadata) => void;
}

/** Carries out the calls of a stream, all at the same time, until the client ends it. */
export const carryCalls = ({
  methodsByPath,
  takeMs,
  vouch,
}: Carrying): CallServiceImplementation<Served>["carryCalls"] =>
  async function* (requests, { metadata: proven, peer, signal, stopping }) {
    const running = new Map<number, AbortController>();
    const replies = gather();
    let isDraining = false;
    let isEnded = false;
    let isOver = false;

    async function carryOut(call: Call, path: string): Promise<void> {
      const abort = new AbortController();
      running.set(call.id, abort);
      const reply = await replyTo(call, methodsByPath.get(path), () => {
        const metadata = Metadata(call.metadata);
        vouch(proven, metadata);
        const [header, trailer] = [Metadata(), Metadata()];
        return { metadata, peer, header, trailer, sendHeader() {}, signal: abort.signal };
      });
      running.delete(call.id);
      if (abort.signal.aborted) replies.wake();
      else replies.add(reply);
    }
    async function read(): Promise<void> {
      for await (const { calls } of requests)
        for (const call of calls)
          if (call.path === undefined) running.get(call.id)?.abort();
          else void carryOut(call, call.path);
    }
    const end = () => {
      isOver = true;
      replies.wake();
    };
    const drain = () => {
      isDraining = true;
      clearTimeout(timer);
      timer = setTimeout(end, drainMs).unref();
      replies.wake();
    };
    let timer = setTimeout(drain, takeMs).unref();
    stopping.addEventListener("abort", drain, { once: true });
    signal.addEventListener("abort", end, { once: true });
    read()
      .catch(() => undefined)
      .finally(() => {
        isEnded = true;
        replies.wake();
      });
    try {
      for (let hasSaidSo = false; !isOver; ) {
        const taken = replies.take();
        if (taken.length > 0 || isDraining !== hasSaidSo) {
          hasSaidSo = isDraining;
          yield { replies: taken, draining: isDraining };
        } else if (isEnded && running.size === 0) return;
        else await replies.next();
      }
    } finally {
      clearTimeout(timer);
      for (const abort of running.values()) abort.abort();
    }
  };
