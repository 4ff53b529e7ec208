import { setTimeout as pause } from "node:timers/promises";
import {
  type Attributes,
  context,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { asFault } from "../rpc/fault.js";

/** A stretch of work in a trace, or nothing at all when nobody traces. */
export interface Span {
  /** W3C trace context of this stretch, for whoever goes on with it elsewhere; undefined when nobody traces. */
  readonly traceparent?: string;
  /** Runs `work` in it: stretches that begin there belong to it. */
  run<T>(work: () => T): T;
  /** Adds what is known by now. */
  note(attributes: Attributes): void;
  /** Says in a word what went wrong. */
  fail(failure: string): void;
  end(): void;
}

export interface SpanOptions {
  /** What this side is to the other one; `internal` when there is none. */
  readonly kind?: "server" | "client" | "producer" | "consumer" | "internal";
  /** W3C trace context of what it continues; else it belongs to what runs here. */
  readonly from?: string;
  /** Begins a trace when it continues none. Without this, what belongs to no trace is not traced. */
  readonly begin?: boolean;
  readonly attributes?: Attributes;
}

/** The tracer of the SDK that was loaded before this file; undefined without one: then everything here costs a comparison. */
function findTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  const name = "service-ci";
  return provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(name) : provider.getTracer(name);
}
const tracer = findTracer();

const nothing: Span = { run: (work) => work(), note() {}, fail() {}, end() {} };
const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/** The context that a traceparent stands for; undefined when it is none. https://www.w3.org/TR/trace-context/ */
function remote(traceparent: string) {
  const [, traceId, spanId, flags] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/.exec(traceparent) ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}

/** Trace and stretch that run here; undefined outside of any. */
const active = () => (tracer ? trace.getSpanContext(context.active()) : undefined);

const written = ({ traceId, spanId, traceFlags }: { traceId: string; spanId: string; traceFlags: number }) =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;

/** The id of the trace that runs here, for the log. */
export const traceId = (): string | undefined => active()?.traceId;

/** W3C trace context of what runs here, to be stored with what somebody else will go on with. */
export function traceparent(): string | undefined {
  const here = active();
  return here && written(here);
}

/** Begins a stretch of work; whoever begins it ends it. */
export function span(name: string, { kind = "internal", from, begin, attributes }: SpanOptions = {}): Span {
  if (!tracer) return nothing;
  const parent = (from && remote(from)) || context.active();
  if (!begin && !trace.getSpanContext(parent)) return nothing;
  const begun = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent);
  const inside = trace.setSpan(parent, begun);
  return {
    traceparent: written(begun.spanContext()),
    run: (work) => context.with(inside, work),
    note: (more) => void begun.setAttributes(more),
    fail: (message) => void begun.setStatus({ code: SpanStatusCode.ERROR, message }),
    end: () => begun.end(),
  };
}

/** Does `work` as a stretch of its own. A failure is named by its code alone: messages may hold what is nobody's business. */
export async function traced<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const one = span(name, options);
  try {
    return await one.run(() => work(one));
  } catch (error) {
    one.fail(asFault(error).code);
    throw error;
  } finally {
    one.end();
  }
}

/** Does `work` outside of any trace: for what would only fill it. */
export const untraced = <T>(work: () => T): T => (tracer ? context.with(ROOT_CONTEXT, work) : work());

/** The end of a process waits no longer than this for whoever collects traces. */
const handOverMs = 5_000;

/** Hands over what has been traced, before the process ends; what cannot be handed over in time is lost. */
export async function flushTraces(): Promise<void> {
  const provider = trace.getTracerProvider();
  const sdk: object = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider;
  if (!("forceFlush" in sdk) || typeof sdk.forceFlush !== "function") return;
  await Promise.race([sdk.forceFlush(), pause(handOverMs)]).catch(() => undefined);
}

/** Names the stretch that runs here anew, once it is known what it is. */
export function rename(name: string, attributes: Attributes): void {
  if (tracer) trace.getActiveSpan()?.updateName(name).setAttributes(attributes);
}
