import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import type { ServerOptions } from "@grpc/grpc-js";
import {
  type CallContext,
  type Channel,
  ClientError,
  type ClientMiddleware,
  type CompatServiceDefinition,
  createChannel,
  createClientFactory,
  createServer,
  Metadata,
  type RawClient,
  type Server,
  ServerError,
  type ServerMiddleware,
} from "nice-grpc";
import type { NormalizedServiceDefinition } from "nice-grpc/lib/service-definitions/index.js";
import { Histogram } from "prom-client";
import { fixedLimit } from "../process/fixed-limit.js";
import { addLogFields, type Log } from "../process/log.js";
import { metrics } from "../process/metrics.js";
import { span } from "../process/trace.js";
import { unlessStalled } from "../process/unless-stalled.js";
import { admit, callerFrom } from "./admit.js";
import { anonymous, type Caller, currentCaller, runAs, runGenerator, toMetadata } from "./caller.js";
import type { ServiceName } from "./callers.js";
import { type Deadline, deadlineAfter } from "./deadline.js";
import { asFault, codeOfStatus, Fault, type FaultCode, type Fields, faultKey, grpcStatus } from "./fault.js";
import type { Identity } from "./identity.js";
import { retryUnary } from "./retry.js";
import { asksToValidate, isValidateOnly } from "./validate-only.js";
import { guardChanges, type ValidateOnly } from "./validated.js";

export interface Call extends ValidateOnly {
  readonly caller: Caller;
  /** The service that makes the call, as its certificate or key proves. */
  readonly service: ServiceName;
  /** Aborted when the server stops. Endless streams then end with `goneElsewhere`. */
  readonly stopping: AbortSignal;
}
export type CallOptions = CallContext & Call;

const unaryTimeoutMs = 30_000;
/** Fits a page of 25 builds with manifests of 1 MiB each. */
const maxMessageBytes = fixedLimit({
  max: 64 * 1024 * 1024,
  unit: "bytes",
  about: "one message between services",
  refusal: "Internal server error",
});

/** Codes that mark a span as failed. A client asking for something missing is not our failure. */
const failing: ReadonlySet<string> = new Set(["internal", "unavailable"]);

const seconds = new Histogram({
  name: "ci_rpc_seconds",
  help: "How long calls take",
  labelNames: ["method", "code"],
  registers: [metrics],
});

const spanName = (path: string): string => path.slice(1);

function logBuildOf(request: unknown): void {
  const { buildId } = request as { buildId?: unknown };
  if (typeof buildId === "number") addLogFields({ build: buildId });
}

export const goneElsewhere = (): Fault => new Fault("unavailable", "Service unavailable");

const serverMiddleware = ({ log, ping, identity }: Serving, running: Set<AbortController>): ServerMiddleware<Call> =>
  async function* (call, context) {
    const claimed = identity.callerOf(call.method, context.metadata);
    const caller = callerFrom(context.metadata, claimed, call.method);
    const stop = seconds.startTimer({ method: call.method.path });
    const callSpan = span(spanName(call.method.path), { kind: "server", from: caller.traceparent });
    const run = <S>(step: () => S): S => runAs(caller, () => callSpan.run(step));
    const from = performance.now();
    // One per call: a signal that lives as long as the server would collect listeners.
    const stopping = new AbortController();
    running.add(stopping);
    let code: FaultCode | "ok" | "cancelled" = "ok";
    try {
      const service = run(() => admit(claimed, call.method, log));
      if (!call.requestStream) run(() => logBuildOf(call.request));
      const validateOnly = isValidateOnly(context.metadata);
      const options: CallOptions = { ...context, caller, service, stopping: stopping.signal, validateOnly };
      const steps = call.next(call.request, options) as AsyncGenerator<never, never, undefined>;
      const streams = call.requestStream || call.responseStream;
      if (ping && !streams)
        return (
          await unlessStalled(
            run(() => steps.next()),
            ping,
          )
        ).value as never;
      return yield* runGenerator(run, steps as AsyncGenerator<never, never, undefined>);
    } catch (thrown) {
      if (context.signal.aborted) code = "cancelled";
      const fault = asFault(thrown);
      if (code !== "cancelled") code = fault.code;
      if (code === "internal") run(() => log.error({ err: fault.cause ?? fault }, call.method.path));
      if (code === "unavailable" && fault.cause) run(() => log.warn({ err: fault.cause }, call.method.path));
      context.trailer.set(faultKey, Buffer.from(JSON.stringify({ code: fault.code, fields: fault.fields })));
      throw new ServerError(grpcStatus(fault.code), fault.message);
    } finally {
      running.delete(stopping);
      stop({ code });
      const ms = Math.round(performance.now() - from);
      run(() => log.debug({ method: call.method.path, code, ms }, "call"));
      if (failing.has(code)) callSpan.fail(code);
      callSpan.end();
    }
  };

/** Closes connections that remain after shutdown, which a client with an open stream would keep until its keepalive. */
function connectionsTo(isOurs: (socket: Socket) => boolean): { cut(): void } {
  const sockets = new Set<Socket>();
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    if (isOurs(socket)) sockets.add(socket.once("close", () => sockets.delete(socket)));
  };
  subscribe("net.server.socket", onSocket);
  return {
    cut() {
      unsubscribe("net.server.socket", onSocket);
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Clients reconnect after this long, so that new replicas get their share. */
const maxConnectionMs = 5 * 60_000;

interface Serving {
  readonly listen: string;
  readonly log: Log;
  readonly identity: Identity;
  readonly graceMs?: number;
  /** Fails when the database does not respond; unary calls are then given up. */
  ping?(): Promise<unknown>;
}

/** Where a service adds its handlers. */
export type Handling = Pick<Server<Call>, "add">;

/** Serves on host:port until disposed; running calls then have `graceMs` to end. */
export async function serveRpc(
  options: Serving,
  add: (server: Handling) => void,
): Promise<AsyncDisposable & { port: number }> {
  const running = new Set<AbortController>();
  const { serverCredentials, interceptors } = options.identity;
  const server = createServer({
    interceptors,
    "grpc.enable_channelz": 0,
    "grpc.max_connection_age_ms": maxConnectionMs,
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.keepalive_time_ms": 30_000,
  } as ServerOptions).use(serverMiddleware(options, running));
  add({ add: (definition, handlers) => server.add(definition, guardChanges(handlers)) });
  const port = await server.listen(options.listen, serverCredentials);
  const connections = connectionsTo((socket) => socket.localPort === port);
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const call of running) call.abort();
      const force = setTimeout(() => {
        server.forceShutdown();
        connections.cut();
      }, options.graceMs ?? 1_000);
      await server.shutdown();
      clearTimeout(force);
      connections.cut();
    },
  };
}

/** grpc-js reports `internal` when the connection of a call ends, as when a server stops. */
const isCutOff = ({ details }: ClientError): boolean =>
  /Call ended without gRPC status|Received RST_STREAM/.test(details);

function faultOf(error: ClientError, sent: Uint8Array | undefined): Fault {
  if (!sent) {
    const code = isCutOff(error) ? "unavailable" : codeOfStatus(error.code);
    const message = code === "unavailable" ? "Service unavailable" : "Internal error";
    return new Fault(code, message, undefined, { cause: error });
  }
  const { code, fields } = JSON.parse(Buffer.from(sent).toString()) as { code: FaultCode; fields?: Fields };
  return new Fault(code, error.details, fields, { cause: error });
}

function asThrown(error: unknown, sent: Uint8Array | undefined, deadline: Deadline | undefined): unknown {
  if (error instanceof ClientError) return faultOf(error, sent);
  if (deadline?.isPast()) return new Fault("unavailable", "Service unavailable", undefined, { cause: error });
  return error;
}

/** Proves who calls, sends the caller along, gives unary calls a deadline, and throws the peer's Faults. */
const clientMiddleware = (identity: Identity): ClientMiddleware =>
  async function* (call, options) {
    let sent: Uint8Array | undefined;
    const streams = call.requestStream || call.responseStream;
    using deadline = streams ? undefined : deadlineAfter(unaryTimeoutMs, options.signal);
    const caller = currentCaller() ?? anonymous();
    const callSpan = span(spanName(call.method.path), { kind: "client" });
    const { traceparent = caller.traceparent } = callSpan;
    const metadata = toMetadata({ ...caller, traceparent }, Metadata(options.metadata));
    identity.prove(call.method, metadata);
    try {
      return yield* call.next(call.request, {
        ...options,
        signal: deadline?.signal ?? options.signal,
        metadata,
        onTrailer(trailer) {
          sent = trailer.get(faultKey);
          options.onTrailer?.(trailer);
        },
      });
    } catch (error) {
      const thrown = asThrown(error, sent, deadline);
      if (thrown instanceof Fault && failing.has(thrown.code)) callSpan.fail(thrown.code);
      throw thrown;
    } finally {
      callSpan.end();
    }
  };

export interface ClientMaker {
  client<D extends CompatServiceDefinition>(definition: D): RawClient<NormalizedServiceDefinition<D>>;
}

export interface Peer extends ClientMaker, AsyncDisposable {
  /** Makes clients whose calls change nothing: the service only validates them, so every call but a read fails. */
  readonly validating: ClientMaker;
}

/** Replicas take turns. The client notices a new or missing one when a connection ends. */
const roundRobin = {
  "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  "grpc.service_config_disable_resolution": 1,
  "grpc.dns_min_time_between_resolutions_ms": 500,
};

export function connect(address: string, identity: Identity): Peer {
  const channel: Channel = createChannel(address, identity.channelCredentials, {
    ...roundRobin,
    "grpc.enable_channelz": 0,
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 10_000,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 2_000,
    "grpc.max_receive_message_length": maxMessageBytes,
  });
  const factory = createClientFactory().use(retryUnary).use(clientMiddleware(identity));
  return {
    client: (definition) => factory.create(definition, channel) as never,
    validating: { client: (definition) => factory.use(asksToValidate).create(definition, channel) as never },
    async [Symbol.asyncDispose]() {
      channel.close();
    },
  };
}
