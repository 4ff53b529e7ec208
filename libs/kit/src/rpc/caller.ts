import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { Metadata } from "nice-grpc";
import { traceparent, untraced } from "../process/trace.js";
import { unauthorized } from "./fault.js";

/** Travels in gRPC metadata from the gateway to the last service. */
export interface Caller {
  /** Absent for requests without a token and for a service's own work. */
  readonly userId?: number;
  readonly scope?: string;
  readonly tokenId?: number;
  readonly requestId: string;
  readonly traceparent?: string;
}

/** Returns the calling user. Fault `unauthenticated` if there is none. */
export function userOf(caller: Caller): number {
  if (caller.userId === undefined) throw unauthorized();
  return caller.userId;
}

const current = new AsyncLocalStorage<Caller>();

export const currentCaller = (): Caller | undefined => current.getStore();

/** Runs `work` on behalf of `caller`: calls to other services carry it, and log lines name its request. */
export const runAs = <T>(caller: Caller, work: () => T): T => current.run(caller, work);

export const anonymous = (): Caller => ({ requestId: randomUUID() });

/** The origin of work that is stored and continues later. */
export type Trail = Partial<Pick<Caller, "requestId" | "traceparent">>;

export function trail(): Trail {
  const caller = currentCaller();
  return { requestId: caller?.requestId, traceparent: traceparent() ?? caller?.traceparent };
}

export const withTrail = <T>({ requestId, traceparent }: Trail = {}, work: () => T): T =>
  runAs({ requestId: requestId ?? randomUUID(), traceparent }, work);

/** Runs `work` apart from the current caller and trace. */
export const detached = <T>(work: () => T): T => runAs(anonymous(), () => untraced(work));

const keys = {
  userId: "ci-user-id",
  scope: "ci-scope",
  tokenId: "ci-token-id",
  requestId: "x-request-id",
  traceparent: "traceparent",
} as const;

/** Metadata of a call that is being made. */
export interface Settable {
  set(key: string, value: string): unknown;
}

export function toMetadata<M extends Settable>(caller: Caller, metadata: M): M {
  for (const [field, key] of Object.entries(keys)) {
    const value = caller[field as keyof Caller];
    if (value !== undefined) metadata.set(key, String(value));
  }
  return metadata;
}

export function fromMetadata(metadata: Metadata): Caller {
  const number = (key: string) => (metadata.get(key) === undefined ? undefined : Number(metadata.get(key)));
  return {
    userId: number(keys.userId),
    scope: metadata.get(keys.scope),
    tokenId: number(keys.tokenId),
    requestId: metadata.get(keys.requestId) ?? randomUUID(),
    traceparent: metadata.get(keys.traceparent),
  };
}

/** Runs each step of an async generator by `run`, since generators lose the context between steps. */
export async function* runGenerator<T, R>(
  run: <S>(step: () => S) => S,
  steps: AsyncGenerator<T, R, undefined>,
): AsyncGenerator<T, R, undefined> {
  try {
    for (;;) {
      const step = await run(() => steps.next());
      if (step.done) return step.value;
      yield step.value;
    }
  } finally {
    await run(() => steps.return(undefined as R));
  }
}
