import { span } from "../process/trace.js";
import { anonymous, currentCaller, type Settable, toMetadata } from "./caller.js";
import { Fault } from "./fault.js";
import type { Identity } from "./identity.js";
import { failing, type Method, spanName } from "./method.js";

/** A call that this process makes. */
export interface Outgoing<M> {
  /** Says who calls, and for whom. */
  readonly metadata: M;
  /** Records why the call failed. Returns what to throw. */
  failed(thrown: unknown): unknown;
  end(): void;
}

/** Begins a call with a span of its own. Adds the caller and the proof of this service's name to the metadata. */
export function outgoing<M extends Settable>(identity: Identity, method: Method, metadata: M): Outgoing<M> {
  const caller = currentCaller() ?? anonymous();
  const callSpan = span(spanName(method), { kind: "client" });
  const { traceparent = caller.traceparent } = callSpan;
  toMetadata({ ...caller, traceparent }, metadata);
  identity.prove(method, metadata);
  return {
    metadata,
    failed(thrown) {
      if (thrown instanceof Fault && failing.has(thrown.code)) callSpan.fail(thrown.code);
      return thrown;
    },
    end: () => callSpan.end(),
  };
}
