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
const bytesOf = ({ response }: Reply): number => response.length;

/** Carries out a call of a stream. Never rejects. */
async function replyTo({ id, path, request }: Call, method: Unary | undefined, context: CallContext): Promise<Reply> {
  try {
    if (!method) throw new ServerError(Status.UNIMPLEMENTED, `No method ${path}`);
    const response = method.encode(await method.call(method.decode(request), context));
    if (response.length > maxResponseBytes) throw new ServerError(Status.RESOURCE_EXHAUSTED, "Response too large");
    return { id, response };
  } catch (thrown) {
    const { code, details } = thrown instanceof ServerError ? thrown : { code: Status.INTERNAL, details: "" };
    const fault = context.trailer.get(faultKey);
    return { id, response: none, failure: { code, details, fault: fault && Buffer.from(fault) } };
  }
}

/** Gathers replies, so that those of the same moment share a message. */
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
  /** How long a stream takes calls: then its client opens another one, perhaps at a new replica. */
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

    async function carryOut(call: Call, path: string): Promise<void> {
      const giveUp = new AbortController();
      running.set(call.id, giveUp);
      const metadata = Metadata(call.metadata);
      vouch(proven, metadata);
      const [header, trailer] = [Metadata(), Metadata()];
      const context = { metadata, peer, header, trailer, sendHeader() {}, signal: giveUp.signal };
      const reply = await replyTo(call, methodsByPath.get(path), context);
      running.delete(call.id);
      replies.add(reply);
    }
    async function read(): Promise<void> {
      for await (const { calls } of requests)
        for (const call of calls)
          if (call.path === undefined) running.get(call.id)?.abort();
          else void carryOut(call, call.path);
    }
    const drain = () => {
      isDraining = true;
      replies.wake();
    };
    const timer = setTimeout(drain, takeMs).unref();
    stopping.addEventListener("abort", drain, { once: true });
    signal.addEventListener("abort", replies.wake, { once: true });
    read()
      .catch(() => undefined)
      .finally(() => {
        isEnded = true;
        replies.wake();
      });
    try {
      for (let hasSaidSo = false; ; ) {
        const taken = replies.take();
        if (taken.length > 0 || isDraining !== hasSaidSo) {
          hasSaidSo = isDraining;
          yield { replies: taken, draining: isDraining };
        } else if (signal.aborted || (isEnded && running.size === 0)) return;
        else await replies.next();
      }
    } finally {
      clearTimeout(timer);
      for (const giveUp of running.values()) giveUp.abort();
    }
  };
