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

/** A span of a trace; without an SDK it does nothing. */
export interface Span {
  readonly traceparent?: string;
  run<T>(work: () => T): T;
  note(attributes: Attributes): void;
  fail(failure: string): void;
  end(): void;
}

interface SpanOptions {
  readonly kind?: "server" | "client" | "producer" | "consumer" | "internal";
  /** W3C trace context to continue, instead of the current span's. */
  readonly from?: string;
  /** Starts a new trace if there is none to continue. */
  readonly begin?: boolean;
  readonly attributes?: Attributes;
}

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

/** Parses a traceparent. https://www.w3.org/TR/trace-context/ */
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

const active = () => (tracer ? trace.getSpanContext(context.active()) : undefined);

const formatted = ({ traceId, spanId, traceFlags }: { traceId: string; spanId: string; traceFlags: number }) =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;

export const traceId = (): string | undefined => active()?.traceId;

/** The current W3C trace context, to be stored with work that continues later. */
export function traceparent(): string | undefined {
  const here = active();
  return here && formatted(here);
}

export function span(name: string, { kind = "internal", from, begin, attributes }: SpanOptions = {}): Span {
  if (!tracer) return nothing;
  const parent = (from && remote(from)) || context.active();
  if (!begin && !trace.getSpanContext(parent)) return nothing;
  const begun = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent);
  const inside = trace.setSpan(parent, begun);
  return {
    traceparent: formatted(begun.spanContext()),
    run: (work) => context.with(inside, work),
    note: (more) => void begun.setAttributes(more),
    fail: (message) => void begun.setStatus({ code: SpanStatusCode.ERROR, message }),
    end: () => begun.end(),
  };
}

/** Runs `work` in a span. Failures are recorded by code only: messages may hold private data. */
export async function traced<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const current = span(name, options);
  try {
    return await current.run(() => work(current));
  } catch (error) {
    current.fail(asFault(error).code);
    throw error;
  } finally {
    current.end();
  }
}

export const untraced = <T>(work: () => T): T => (tracer ? context.with(ROOT_CONTEXT, work) : work());

const flushMs = 5_000;

/** Sends remaining spans before the process ends; those not sent in time are lost. */
export async function flushTraces(): Promise<void> {
  const provider = trace.getTracerProvider();
  const sdk: object = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider;
  if (!("forceFlush" in sdk) || typeof sdk.forceFlush !== "function") return;
  await Promise.race([sdk.forceFlush(), pause(flushMs)]).catch(() => undefined);
}

export function rename(name: string, attributes: Attributes): void {
  if (tracer) trace.getActiveSpan()?.updateName(name).setAttributes(attributes);
}
