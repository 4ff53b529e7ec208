import { type Client, Metadata, status } from "@grpc/grpc-js";
import type { CallOptions, TsProtoServiceDefinition } from "nice-grpc";
import type { Carried } from "./carrier.js";
import type { Carriers } from "./carriers.js";
import { CallFailure, failureOf, faultOf } from "./client-fault.js";
import type { Identity } from "./identity.js";
import { callTimeoutMs, encoderOf, type Method, pathOf } from "./method.js";
import { outgoing } from "./outgoing.js";
import { isHarmless, readsOnly, repeated } from "./retry.js";
import { validateOnlyKey } from "./validate-only.js";
import type { Limits } from "./waiting-calls.js";

/** A larger request would hold up the calls behind it. */
const maxCarriedBytes = 64 * 1024;

/** What takes calls to a service. */
interface Transport {
  readonly client: Client;
  readonly carriers: Carriers;
}

interface Calling {
  readonly identity: Identity;
  /** Asks the service to validate each call without executing it. Reads are executed. */
  readonly validateOnly: boolean;
}

interface Called extends Method {
  encode(request: unknown): Buffer;
  decode(response: Buffer): unknown;
}

function calledMethod(
  definition: TsProtoServiceDefinition,
  method: TsProtoServiceDefinition["methods"][string],
): Called {
  const { requestType, responseType, options } = method;
  return {
    path: pathOf(definition, method),
    options,
    encode: encoderOf(requestType),
    decode: (response) => responseType.decode(response),
  };
}

const same = (bytes: Buffer): Buffer => bytes;

/** Sends a call by a stream of its own. */
function sendAlone(client: Client, { path, metadata, request }: Carried, limits: Limits): Promise<Buffer> {
  const { deadline, signal } = limits;
  const own = new Metadata();
  for (const [key, value] of Object.entries(metadata)) own.set(key, value);
  return new Promise((resolve, reject) => {
    const call = client.makeUnaryRequest(path, same, same, request, own, { deadline }, (error, response) => {
      signal?.removeEventListener("abort", cancel);
      if (error) reject(signal?.aborted ? signal.reason : failureOf(error));
      else resolve(response!);
    });
    const cancel = () => call.cancel();
    signal?.addEventListener("abort", cancel, { once: true });
  });
}

/** Sends a call by a stream that carries calls, if it is short and the server accepts such streams, otherwise alone. */
async function send({ client, carriers }: Transport, call: Carried, limits: Limits): Promise<Buffer> {
  limits.signal?.throwIfAborted();
  if (call.request.length > maxCarriedBytes || !carriers.areAccepted()) return sendAlone(client, call, limits);
  try {
    return await carriers.next().call(call, limits);
  } catch (error) {
    // An older server has not seen the call.
    if (!(error instanceof CallFailure && error.code === status.UNIMPLEMENTED)) throw error;
    return sendAlone(client, call, limits);
  }
}

/**
 * Returns a client of methods that take one message and return one. Each call proves who makes it, carries its caller, has a
 * deadline, is repeated where that is safe, and throws the peer's Fault.
 */
export function unaryClient(transport: Transport, definition: TsProtoServiceDefinition, calling: Calling): object {
  const { identity, validateOnly } = calling;

  async function call(method: Called, asked: unknown, { signal }: CallOptions = {}): Promise<unknown> {
    const { metadata, failed, end } = outgoing(identity, method, new Map<string, string>());
    if (validateOnly && !readsOnly(method.path)) metadata.set(validateOnlyKey, "true");
    const limits = { signal, deadline: Date.now() + callTimeoutMs };
    const mayRepeat = (error: unknown) =>
      error instanceof CallFailure && !error.fault && isHarmless(method.path, error);
    try {
      const { path, encode } = method;
      const carried = { path, metadata: Object.fromEntries(metadata), request: encode(asked) };
      return method.decode(await repeated(() => send(transport, carried, limits), mayRepeat, signal));
    } catch (error) {
      throw failed(error instanceof CallFailure ? faultOf(error, error.fault) : error);
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
