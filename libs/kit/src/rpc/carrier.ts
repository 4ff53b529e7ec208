import { type Call, CallServiceDefinition, CarryCallsRequest, CarryCallsResponse } from "@ci/proto/common/v1/calls";
import { type Client, type ClientDuplexStream, type Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { CallFailure, failureOf } from "./client-fault.js";
import { type Method, pathOf } from "./method.js";
import { takeMessage } from "./one-message.js";
import { watchSilence } from "./silence.js";
import { type Limits, waitingCalls } from "./waiting-calls.js";

const { carryCalls } = CallServiceDefinition.methods;
export const carryMethod: Method = { path: pathOf(CallServiceDefinition, carryCalls), options: carryCalls.options };

type Stream = ClientDuplexStream<CarryCallsRequest, CarryCallsResponse>;
const serialize = (request: CarryCallsRequest): Buffer => Buffer.from(CarryCallsRequest.encode(request).finish());
const deserialize = (bytes: Buffer): CarryCallsResponse => CarryCallsResponse.decode(bytes);

export type Carried = Required<Pick<Call, "path" | "metadata" | "request">>;

/** A stream that carries calls to one replica. */
export interface Carrier {
  /** Sends a call and returns the response. Throws CallFailure, or the signal's reason. */
  call(call: Carried, limits: Limits): Promise<Buffer>;
  isSilent(): boolean;
  /** Ends the stream when all replies have arrived. */
  retire(): void;
}

interface Events {
  hasOthers(): boolean;
  /** A replica has accepted the stream. */
  accepted(peer: string): void;
  /** The stream takes no more calls. */
  retired(failure?: CallFailure): void;
}

const none = Buffer.alloc(0);
const noReply = (peer: string) => new CallFailure(status.UNAVAILABLE, `No reply from ${peer}`);
/** Every server replies to a call without a method name: it has no such method. */
const probe: Call = { id: 0, path: "", metadata: {}, request: none };
const metadataBytes = 1024;
const bytesOf = ({ request }: Call): number => metadataBytes + request.length;

/** Opens a stream for calls. Until a replica accepts it, calls wait here, so that one whose time is up is never sent. */
export function openCarrier(client: Client, proof: Metadata, events: Events): Carrier {
  const stream: Stream = client.makeBidiStreamRequest(carryMethod.path, serialize, deserialize, proof);
  const waiting = waitingCalls();
  const overdue = () =>
    new CallFailure(status.DEADLINE_EXCEEDED, `No reply from ${stream.getPeer()} before the deadline`);
  let calls: Call[] = [];
  let lastId = 0;
  let canWrite = false;
  let isRetired = false;
  let isEnded = false;

  function flush(): void {
    while (canWrite && calls.length > 0) canWrite = stream.write({ calls: takeMessage(calls, bytesOf) });
    silence.begin();
    endIfDone();
  }
  function goOn(): void {
    canWrite = true;
    flush();
  }
  /** Calls of one turn of the event loop share a message. */
  function post(call: Call): void {
    if (calls.push(call) === 1) setImmediate(flush);
  }
  function endIfDone(): void {
    if (!isRetired || isEnded || waiting.count() > 0 || calls.length > 0) return;
    isEnded = true;
    stream.end();
  }
  function retire(failure?: CallFailure): void {
    if (!isRetired) {
      isRetired = true;
      events.retired(failure);
    }
    endIfDone();
  }
  /** Gives up a call that its replica may be working on, or that is not sent yet. */
  function giveUp(id: number, reason: unknown): void {
    const unsent = calls.filter((call) => call.id !== id);
    if (unsent.length < calls.length) calls = unsent;
    else post({ id, metadata: {}, request: none });
    waiting.reject(id, reason);
    endIfDone();
  }
  const silence = watchSilence({
    matters: () => waiting.count() > 0 && events.hasOthers(),
    ask: () => post(probe),
    onSilent: () => waiting.forReads((id) => giveUp(id, noReply(stream.getPeer()))),
  });
  function fail(failure: CallFailure): void {
    isEnded = true;
    calls = [];
    retire(failure);
    waiting.rejectAll(failure);
  }

  stream.on("metadata", () => {
    events.accepted(stream.getPeer());
    goOn();
  });
  stream.on("drain", goOn);
  stream.on("data", ({ replies, draining }: CarryCallsResponse) => {
    silence.heard();
    replies.forEach(waiting.settle);
    if (draining) retire();
    endIfDone();
  });
  stream.on("error", (error: ServiceError) => fail(failureOf(error)));
  stream.on("end", () => fail(new CallFailure(status.UNAVAILABLE, "Call ended without gRPC status")));

  return {
    call(call, limits) {
      const id = ++lastId;
      post({ id, ...call });
      return waiting.wait(id, call.path, limits, (reason) => giveUp(id, reason ?? overdue()));
    },
    isSilent: silence.isSilent,
    retire,
  };
}
