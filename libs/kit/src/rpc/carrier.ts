import {
  type Call,
  CallServiceDefinition,
  CarryCallsRequest,
  CarryCallsResponse,
  type Reply,
} from "@ci/proto/common/v1/calls";
import { type Client, type ClientDuplexStream, type Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { CallFailure, failureOf } from "./client-fault.js";
import { type Method, pathOf } from "./method.js";
import { takeMessage } from "./one-message.js";

const { carryCalls } = CallServiceDefinition.methods;
export const carryMethod: Method = { path: pathOf(CallServiceDefinition, carryCalls), options: carryCalls.options };

type Stream = ClientDuplexStream<CarryCallsRequest, CarryCallsResponse>;
const serialize = (request: CarryCallsRequest): Buffer => Buffer.from(CarryCallsRequest.encode(request).finish());
const deserialize = (bytes: Buffer): CarryCallsResponse => CarryCallsResponse.decode(bytes);

/** A call without an id. */
export type Carried = Required<Pick<Call, "path" | "metadata" | "request">>;

/** What ends a call before its reply. */
export interface Limits {
  /** In milliseconds since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/** A stream that carries calls to one replica. */
export interface Carrier {
  /** Sends a call and returns the response. Throws CallFailure, or the signal's reason. */
  call(call: Carried, limits: Limits): Promise<Buffer>;
  /** Ends the stream when all replies have arrived. */
  retire(): void;
}

interface Events {
  /** A replica has accepted the stream. */
  accepted(peer: string): void;
  /** The stream takes no more calls. */
  retired(failure?: CallFailure): void;
}

interface Waiting {
  done(): void;
  resolve(response: Buffer): void;
  reject(error: unknown): void;
}

const none = Buffer.alloc(0);
const metadataBytes = 1024;
const bytesOf = ({ request }: Call): number => metadataBytes + request.length;

/** Opens a stream for calls. */
export function openCarrier(client: Client, proof: Metadata, events: Events): Carrier {
  const stream: Stream = client.makeBidiStreamRequest(carryMethod.path, serialize, deserialize, proof);
  const waiting = new Map<number, Waiting>();
  const calls: Call[] = [];
  let lastId = 0;
  let isRetired = false;
  let isEnded = false;

  function flush(): void {
    while (calls.length > 0) stream.write({ calls: takeMessage(calls, bytesOf) });
    if (isRetired && waiting.size === 0) end();
  }
  /** Calls of the same moment share a message. */
  function post(call: Call): void {
    if (calls.push(call) === 1) setImmediate(flush);
  }
  function end(): void {
    if (isEnded) return;
    isEnded = true;
    stream.end();
  }
  function retire(failure?: CallFailure): void {
    if (!isRetired) {
      isRetired = true;
      events.retired(failure);
    }
    if (waiting.size === 0 && calls.length === 0) end();
  }
  function remove(id: number): Waiting | undefined {
    const call = waiting.get(id);
    waiting.delete(id);
    call?.done();
    if (isRetired) retire();
    return call;
  }
  function settle({ id, response, failure }: Reply): void {
    if (failure) remove(id)?.reject(new CallFailure(failure.code, failure.details, failure.fault));
    else remove(id)?.resolve(response);
  }
  function fail(failure: CallFailure): void {
    isEnded = true;
    calls.length = 0;
    retire(failure);
    for (const id of waiting.keys()) remove(id)?.reject(failure);
  }

  stream.on("metadata", () => events.accepted(stream.getPeer()));
  stream.on("data", ({ replies, draining }: CarryCallsResponse) => {
    replies.forEach(settle);
    if (draining) retire();
  });
  stream.on("error", (error: ServiceError) => fail(failureOf(error)));
  stream.on("end", () => fail(new CallFailure(status.UNAVAILABLE, "Call ended without gRPC status")));

  return {
    call: (call, { deadline, signal }) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        const giveUp = (reason: unknown) => {
          if (!isEnded) post({ id, metadata: {}, request: none });
          remove(id)?.reject(reason);
        };
        const onAbort = () => giveUp(signal!.reason);
        const onTimeout = () => giveUp(new CallFailure(status.DEADLINE_EXCEEDED, "Deadline exceeded"));
        const timer = setTimeout(onTimeout, deadline - Date.now());
        const done = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
        };
        waiting.set(id, { resolve, reject, done });
        signal?.addEventListener("abort", onAbort, { once: true });
        post({ id, ...call });
      }),
    retire,
  };
}
