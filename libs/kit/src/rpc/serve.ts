import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { CallServiceDefinition } from "@ci/proto/common/v1/calls";
import type { ServerOptions } from "@grpc/grpc-js";
import {
  type CallContext,
  createServer,
  type ServerMiddleware,
  type ServiceImplementation,
  type TsProtoServiceDefinition,
} from "nice-grpc";
import type { Log } from "../process/log.js";
import { accept } from "./acceptance.js";
import { runGenerator } from "./caller.js";
import { carryCalls, type Unary } from "./carried-calls.js";
import type { Identity } from "./identity.js";
import { byShape, encoderOf, maxMessageBytes, pathOf } from "./method.js";
import { type Call, type CallOptions, type ServedCall, servedCalls, showNoFailures } from "./served-call.js";
import { unlessStalled } from "./unless-stalled.js";
import { guardChanges } from "./validated.js";

type Begin = ReturnType<typeof servedCalls>;

/** Serves streams, whose handlers are generators: each of their steps runs for the caller. */
const streaming = (begin: Begin): ServerMiddleware<Call> =>
  async function* (call, context) {
    const served = begin(call.method, context);
    try {
      if (call.requestStream) accept(context);
      const options = served.run(() => served.admit(call.requestStream ? undefined : call.request));
      const steps = call.next(call.request, options) as AsyncGenerator<never, never, undefined>;
      return yield* runGenerator(served.run, steps);
    } catch (thrown) {
      throw served.failed(thrown);
    } finally {
      served.end();
    }
  };

type Handler = (request: unknown, options: CallOptions) => Promise<unknown>;
type Handlers = Readonly<Record<string, Handler>>;
type Ping = () => Promise<unknown>;

/** Makes handlers of unary methods into those of gRPC: plain functions, which cost a call far less than generators. */
function unaryHandlers(definition: TsProtoServiceDefinition, handlers: Handlers, begin: Begin, ping?: Ping): Handlers {
  const handlerOf = ([name, method]: [string, TsProtoServiceDefinition["methods"][string]]): [string, Handler] => {
    const called = { path: pathOf(definition, method), options: method.options };
    const handler = handlers[name]!;
    return [name, (request, context: CallContext) => carryOut(begin(called, context), request, handler, ping)];
  };
  return Object.fromEntries(Object.entries(definition.methods).map(handlerOf));
}

function following(signal: AbortSignal): AbortController {
  const follower = new AbortController();
  const follow = () => follower.abort(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener("abort", follow, { once: true });
  return follower;
}

async function carryOut(served: ServedCall, request: unknown, handler: Handler, ping?: Ping): Promise<unknown> {
  let givingUp: AbortController | undefined;
  // Aborted when the caller goes away, or when the server gives the call up. Few handlers read it.
  const withSignal = (call: CallOptions): CallOptions => ({
    ...call,
    get signal() {
      givingUp ??= following(call.signal);
      return givingUp.signal;
    },
  });
  try {
    const response = served.run(() => handler(request, withSignal(served.admit(request))));
    return await (ping ? unlessStalled(response, ping) : response);
  } catch (thrown) {
    givingUp ??= new AbortController();
    givingUp.abort(thrown);
    throw served.failed(thrown);
  } finally {
    served.end();
  }
}

/** Returns the unary methods of a service by path, for streams that carry their calls. */
const carriedMethods = (definition: TsProtoServiceDefinition, handlers: Handlers): [string, Unary][] =>
  Object.entries(definition.methods).map(([name, method]) => {
    const unary: Unary = {
      decode: (request) => method.requestType.decode(request),
      encode: encoderOf(method.responseType),
      call: handlers[name] as Unary["call"],
    };
    return [pathOf(definition, method), unary];
  });

const keepaliveMs = 30_000;

/** Has TCP check that clients still exist, and closes connections that open streams keep after shutdown. */
function connectionsTo(isOurs: (socket: Socket) => boolean): { cut(): void } {
  const sockets = new Set<Socket>();
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    if (!isOurs(socket)) return;
    // On a connection that is being replaced, gRPC sends no keepalive pings.
    socket.setKeepAlive(true, keepaliveMs);
    sockets.add(socket.once("close", () => sockets.delete(socket)));
  };
  subscribe("net.server.socket", onSocket);
  return {
    cut() {
      unsubscribe("net.server.socket", onSocket);
      for (const socket of sockets) socket.destroy();
    },
  };
}

const usualConnectionMs = 5 * 60_000;

interface Serving {
  readonly listen: string;
  readonly log: Log;
  readonly identity: Identity;
  readonly graceMs?: number;
  /** Clients reconnect after this long, so that new replicas get their share. */
  readonly connectionMs?: number;
  /** Fails when the database does not respond; unary calls are then given up. */
  readonly ping?: Ping;
}

const hasMethods = ({ methods }: TsProtoServiceDefinition): boolean => Object.keys(methods).length > 0;

/** Where a service adds its handlers. */
export interface Handling {
  add<D extends TsProtoServiceDefinition>(definition: D, handlers: ServiceImplementation<D, Call>): void;
}

/** Serves on host:port until disposed; running calls then have `graceMs` to end. */
export async function serveRpc(
  options: Serving,
  add: (server: Handling) => void,
): Promise<AsyncDisposable & { port: number }> {
  const running = new Set<AbortController>();
  const { serverCredentials, interceptors } = options.identity;
  const connectionMs = options.connectionMs ?? usualConnectionMs;
  const server = createServer({
    interceptors,
    "grpc.enable_channelz": 0,
    "grpc.max_connection_age_ms": connectionMs,
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.keepalive_time_ms": keepaliveMs,
  } as ServerOptions);
  const begin = servedCalls(options, running);
  const methodsByPath = new Map<string, Unary>();
  add({
    add(definition, handlers) {
      showNoFailures(definition);
      const guarded = guardChanges(handlers) as never;
      const { unary, streams } = byShape(definition);
      const unaries = unaryHandlers(unary, guarded, begin, options.ping);
      for (const [path, method] of carriedMethods(unary, unaries)) methodsByPath.set(path, method);
      if (hasMethods(unary)) server.add(unary, unaries as never);
      if (hasMethods(streams)) server.with(streaming(begin)).add(streams, guarded);
    },
  });
  showNoFailures(CallServiceDefinition);
  const carrying = { methodsByPath, takeMs: connectionMs, vouch: options.identity.vouch };
  server.with(streaming(begin)).add(CallServiceDefinition, { carryCalls: carryCalls(carrying) } as never);
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
