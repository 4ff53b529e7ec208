import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { ChannelCredentials, ServerCredentials } from "@grpc/grpc-js";
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
import type { TlsFiles } from "../process/config.js";
import { addLogFields, type Log } from "../process/log.js";
import { metrics } from "../process/metrics.js";
import { span } from "../process/trace.js";
import { unlessStalled } from "../process/unless-stalled.js";
import { anonymous, type Caller, currentCaller, fromMetadata, runAs, runGenerator, toMetadata } from "./caller.js";
import { asFault, codeOfStatus, Fault, type FaultCode, type Fields, faultKey, grpcStatus } from "./fault.js";
import { retryUnary } from "./retry.js";

/** What a handler is given besides the request. */
export interface Call {
  readonly caller: Caller;
  /** Aborted when the server stops. Whoever follows something without end gives its stream up by `goneElsewhere`. */
  readonly stopping: AbortSignal;
}
/** The second argument of every handler. */
export type CallOptions = CallContext & Call;

const unaryTimeoutMs = 30_000;
/** A page of 25 builds with manifests of 1 MiB each has to fit. */
const largestMessageBytes = 64 * 1024 * 1024;

/** What is a fault of ours in a trace: that somebody asks for what is not there is none. */
const failing: ReadonlySet<string> = new Set(["internal", "unavailable"]);

const seconds = new Histogram({
  name: "ci_rpc_seconds",
  help: "How long calls take",
  labelNames: ["method", "code"],
  registers: [metrics],
});

/** The name of a call in a trace, as OpenTelemetry has it: without the slash that paths begin with. */
const nameOf = (path: string): string => path.slice(1);

/** The build that a request names, for the log. */
function aboutRequest(request: unknown): void {
  const { buildId } = request as { buildId?: unknown };
  if (typeof buildId === "number") addLogFields({ build: buildId });
}

/** What ends a stream that another replica can go on with. */
export const goneElsewhere = (): Fault => new Fault("unavailable", "Service unavailable");

/** Names the caller, turns what a handler throws into a status, writes one log line and one observation a call. */
const around = ({ log, ping }: Serving, running: Set<AbortController>): ServerMiddleware<Call> =>
  async function* (call, context) {
    const caller = fromMetadata(context.metadata);
    const stop = seconds.startTimer({ method: call.method.path });
    const one = span(nameOf(call.method.path), { kind: "server", from: caller.traceparent });
    const run = <S>(step: () => S): S => runAs(caller, () => one.run(step));
    const from = performance.now();
    // One of its own: a signal that lives as long as the server would collect listeners.
    const stopping = new AbortController();
    running.add(stopping);
    let code: FaultCode | "ok" | "cancelled" = "ok";
    try {
      if (!call.requestStream) run(() => aboutRequest(call.request));
      const options = { ...context, caller, stopping: stopping.signal };
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
      if (failing.has(code)) one.fail(code);
      one.end();
    }
  };

/**
 * Cuts what is still connected to a port. The server itself only says goodbye by then: a client that goes on listening
 * to a stream would keep it for as long as its keepalive takes.
 */
function connectionsTo(isOurs: (socket: Socket) => boolean): { cut(): void } {
  const sockets = new Set<Socket>();
  const meet = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    if (isOurs(socket)) sockets.add(socket.once("close", () => sockets.delete(socket)));
  };
  subscribe("net.server.socket", meet);
  return {
    cut() {
      unsubscribe("net.server.socket", meet);
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Connections end after so long, and callers connect anew: replicas that were added get their share. */
const connectionMs = 5 * 60_000;

interface Serving {
  readonly listen: string;
  readonly log: Log;
  readonly tls?: TlsFiles;
  readonly graceMs?: number;
  /** Fails when the database does not answer: single answers are not waited for any longer then. */
  ping?(): Promise<unknown>;
}

/** Serves on host:port until disposed: running calls are told, and given `graceMs` to end. */
export async function serveRpc(
  options: Serving,
  add: (server: Server<Call>) => void,
): Promise<AsyncDisposable & { port: number }> {
  const running = new Set<AbortController>();
  const server = createServer({
    "grpc.enable_channelz": 0,
    "grpc.max_connection_age_ms": connectionMs,
    "grpc.max_receive_message_length": largestMessageBytes,
    "grpc.keepalive_time_ms": 30_000,
  }).use(around(options, running));
  add(server);
  const { tls } = options;
  const credentials = tls
    ? ServerCredentials.createSsl(
        readFileSync(tls.ca),
        [{ cert_chain: readFileSync(tls.cert), private_key: readFileSync(tls.key) }],
        true,
      )
    : ServerCredentials.createInsecure();
  const port = await server.listen(options.listen, credentials);
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

/** The Fault a failed call stands for: the peer's own when it sent one, else what the status says. */
function faultOf(error: ClientError, sent: Uint8Array | undefined): Fault {
  if (!sent) {
    const code = codeOfStatus(error.code);
    const message = code === "unavailable" ? "Service unavailable" : "Internal error";
    return new Fault(code, message, undefined, { cause: error });
  }
  const { code, fields } = JSON.parse(Buffer.from(sent).toString()) as { code: FaultCode; fields?: Fields };
  return new Fault(code, error.details, fields, { cause: error });
}

/** What a failed call throws. */
function asThrown(error: unknown, sent: Uint8Array | undefined, timeout: AbortSignal | undefined): unknown {
  if (error instanceof ClientError) return faultOf(error, sent);
  if (timeout?.aborted) return new Fault("unavailable", "Service unavailable", undefined, { cause: error });
  return error;
}

/** Sends the caller along, gives single answers a deadline, and throws the peer's Faults as Faults. */
const carry: ClientMiddleware = async function* (call, options) {
  let sent: Uint8Array | undefined;
  const streams = call.requestStream || call.responseStream;
  const timeout = streams ? undefined : AbortSignal.timeout(unaryTimeoutMs);
  const signals = [options.signal, timeout].filter((signal) => signal !== undefined);
  const caller = currentCaller() ?? anonymous();
  const one = span(nameOf(call.method.path), { kind: "client" });
  const { traceparent = caller.traceparent } = one;
  try {
    return yield* call.next(call.request, {
      ...options,
      signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0],
      metadata: toMetadata({ ...caller, traceparent }, Metadata(options.metadata)),
      onTrailer(trailer) {
        sent = trailer.get(faultKey);
        options.onTrailer?.(trailer);
      },
    });
  } catch (error) {
    const thrown = asThrown(error, sent, timeout);
    if (thrown instanceof Fault && failing.has(thrown.code)) one.fail(thrown.code);
    throw thrown;
  } finally {
    one.end();
  }
};

/** The replicas of a peer, for the life of the process. They are connected to when needed, also again. */
export interface Peer extends AsyncDisposable {
  client<D extends CompatServiceDefinition>(definition: D): RawClient<NormalizedServiceDefinition<D>>;
}

/** All addresses of a name take turns; one that is gone or new is noticed when a connection ends. */
const inTurn = {
  "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  "grpc.service_config_disable_resolution": 1,
  "grpc.dns_min_time_between_resolutions_ms": 500,
};

/** A peer at host:port; a host with several addresses is several replicas. */
export function connect(address: string, tls?: TlsFiles): Peer {
  const credentials = tls
    ? ChannelCredentials.createSsl(readFileSync(tls.ca), readFileSync(tls.key), readFileSync(tls.cert))
    : ChannelCredentials.createInsecure();
  const channel: Channel = createChannel(address, credentials, {
    ...inTurn,
    "grpc.enable_channelz": 0,
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 10_000,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 2_000,
    "grpc.max_receive_message_length": largestMessageBytes,
  });
  const factory = createClientFactory().use(retryUnary).use(carry);
  return {
    client: (definition) => factory.create(definition, channel) as never,
    async [Symbol.asyncDispose]() {
      channel.close();
    },
  };
}
