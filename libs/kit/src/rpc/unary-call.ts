import { type Channel, Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import type { CallOptions, TsProtoServiceDefinition } from "nice-grpc";
import { faultOf } from "./client-fault.js";
import { faultKey } from "./fault.js";
import type { Identity } from "./identity.js";
import { type Method, pathOf } from "./method.js";
import { outgoing } from "./outgoing.js";
import { isHarmless, readsOnly, repeated } from "./retry.js";
import { validateOnlyKey } from "./validate-only.js";

const timeoutMs = 30_000;

interface Calling {
  readonly identity: Identity;
  /** Asks the service to validate each call without executing it. Reads are executed. */
  readonly validateOnly: boolean;
}

/** A method as gRPC calls it. */
interface Called extends Method {
  encode(request: unknown): Buffer;
  decode(response: Buffer): unknown;
}

interface Sent {
  readonly request: unknown;
  readonly metadata: Metadata;
  /** In milliseconds since 1970. */
  readonly deadline: number;
}

function calledMethod(
  definition: TsProtoServiceDefinition,
  method: TsProtoServiceDefinition["methods"][string],
): Called {
  const { requestType, responseType, options } = method;
  const { encode, fromPartial = (request: unknown) => request } = requestType;
  return {
    path: pathOf(definition, method),
    options,
    encode(request) {
      const { buffer, byteOffset, byteLength } = encode(fromPartial(request)).finish();
      return Buffer.from(buffer, byteOffset, byteLength);
    },
    decode: (response) => responseType.decode(response),
  };
}

/** Sends one request. A signal that aborts cancels it, and rejects with its reason. */
function send(client: Client, method: Called, sent: Sent, signal?: AbortSignal): Promise<unknown> {
  const { path, encode, decode } = method;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const { request, metadata, deadline } = sent;
    const call = client.makeUnaryRequest(path, encode, decode, request, metadata, { deadline }, (error, response) => {
      signal?.removeEventListener("abort", cancel);
      if (error) reject(signal?.aborted ? signal.reason : error);
      else resolve(response);
    });
    const cancel = () => call.cancel();
    signal?.addEventListener("abort", cancel, { once: true });
  });
}

/** The Fault that the peer threw, as its trailer tells. */
const faultIn = ({ metadata }: ServiceError) => metadata.get(faultKey)[0] as Buffer | undefined;

const isServiceError = (error: unknown): error is ServiceError => error instanceof Error && "metadata" in error;

/**
 * Returns a client of methods that take one message and return one. Each call proves who makes it, carries its caller, has a
 * deadline, is repeated where that is safe, and throws the peer's Fault. It uses gRPC directly: the generators that streams
 * need would cost each call half as much again.
 */
export function unaryClient(channel: Channel, definition: TsProtoServiceDefinition, calling: Calling): object {
  const { identity, validateOnly } = calling;
  const client = new Client("", credentials.createInsecure(), { channelOverride: channel });

  async function call(method: Called, request: unknown, { signal }: CallOptions = {}): Promise<unknown> {
    const { metadata, failed, end } = outgoing(identity, method, new Metadata());
    if (validateOnly && !readsOnly(method.path)) metadata.set(validateOnlyKey, "true");
    const sent = { request, metadata, deadline: Date.now() + timeoutMs };
    const mayRepeat = (error: unknown) => isServiceError(error) && !faultIn(error) && isHarmless(method.path, error);
    try {
      return await repeated(() => send(client, method, sent, signal), mayRepeat, signal);
    } catch (error) {
      throw failed(isServiceError(error) ? faultOf(error, faultIn(error)) : error);
    } finally {
      end();
    }
  }

  const calls = Object.entries(definition.methods).map(([name, method]) => {
    const called = calledMethod(definition, method);
    return [name, (request: unknown, options?: CallOptions) => call(called, request, options)];
  });
  return Object.fromEntries(calls);
}
