import { type CallContext, ServerError, type TsProtoServiceDefinition } from "nice-grpc";
import { Histogram } from "prom-client";
import { addLogFields, type Log } from "../process/log.js";
import { metrics } from "../process/metrics.js";
import { span } from "../process/trace.js";
import { admit, callerFrom } from "./admit.js";
import { type Caller, runAs } from "./caller.js";
import type { ServiceName } from "./callers.js";
import { asFault, Fault, type FaultCode, faultKey, grpcStatus } from "./fault.js";
import type { Identity } from "./identity.js";
import { failing, type Method, pathOf, spanName } from "./method.js";
import { isValidateOnly } from "./validate-only.js";
import type { ValidateOnly } from "./validated.js";

export interface Call extends ValidateOnly {
  readonly caller: Caller;
  /** The service that makes the call, as its certificate or key proves. */
  readonly service: ServiceName;
  /** Aborted when the server stops. Endless streams then end with `goneElsewhere`. */
  readonly stopping: AbortSignal;
}
export type CallOptions = CallContext & Call;

const seconds = new Histogram({
  name: "ci_rpc_seconds",
  help: "How long calls take",
  labelNames: ["method", "code"],
  registers: [metrics],
});

/** Begins the series of internal errors with 0, so that an alert sees the first one. */
export function showNoFailures(definition: TsProtoServiceDefinition): void {
  for (const method of Object.values(definition.methods))
    seconds.zero({ method: pathOf(definition, method), code: "internal" });
}

function logBuildOf(request: unknown): void {
  const { buildId } = request as { buildId?: unknown };
  if (typeof buildId === "number") addLogFields({ build: buildId });
}

/** A call that this process serves. */
export interface ServedCall {
  /** Runs a step of the call: its log lines, spans and calls to other services belong to its caller. */
  run<T>(step: () => T): T;
  /** Returns what the handler is told. Fault `forbidden` if this service may not make the call. */
  admit(request?: unknown): CallOptions;
  /** Records why the call failed. Returns what to throw. */
  failed(thrown: unknown): ServerError;
  end(): void;
}

interface Serving {
  readonly log: Log;
  readonly identity: Identity;
}

/** Returns a function that begins to serve a call. `running` holds what aborts the running ones. */
export const servedCalls =
  ({ log, identity }: Serving, running: Set<AbortController>) =>
  (method: Method, context: CallContext): ServedCall => {
    const claimed = identity.callerOf(method, context.metadata);
    const caller = callerFrom(context.metadata, claimed, method);
    const stop = seconds.startTimer({ method: method.path });
    const callSpan = span(spanName(method), { kind: "server", from: caller.traceparent });
    const run = <T>(step: () => T): T => runAs(caller, () => callSpan.run(step));
    const from = performance.now();
    // One per call: a signal that lives as long as the server would collect listeners.
    const stopping = new AbortController();
    running.add(stopping);
    let code: FaultCode | "ok" | "cancelled" = "ok";
    return {
      run,
      admit(request) {
        const service = admit(claimed, method, log);
        if (request) logBuildOf(request);
        const validateOnly = isValidateOnly(context.metadata);
        return { ...context, caller, service, stopping: stopping.signal, validateOnly };
      },
      failed(thrown) {
        const fault = asFault(thrown);
        code = context.signal.aborted ? "cancelled" : fault.code;
        if (code === "internal") run(() => log.error({ err: fault.cause ?? fault }, method.path));
        if (code === "unavailable" && fault.cause) run(() => log.warn({ err: fault.cause }, method.path));
        context.trailer.set(faultKey, Buffer.from(JSON.stringify({ code: fault.code, fields: fault.fields })));
        return new ServerError(grpcStatus(fault.code), fault.message);
      },
      end() {
        running.delete(stopping);
        stop({ code });
        const ms = Math.round(performance.now() - from);
        run(() => log.debug({ method: method.path, code, ms }, "call"));
        if (failing.has(code)) callSpan.fail(code);
        callSpan.end();
      },
    };
  };

/** What an endless stream throws when its server stops: its client finds another replica. */
export const goneElsewhere = (): Fault => new Fault("unavailable", "Service unavailable");
