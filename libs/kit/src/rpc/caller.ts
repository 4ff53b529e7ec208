import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { Metadata } from "nice-grpc";
import { traceparent, untraced } from "../process/trace.js";

/** Who is asking. Travels in gRPC metadata from the gateway to the last service. */
export interface Caller {
  /** Absent for requests without token and for acts of a service by itself. */
  readonly userId?: number;
  /** Canonical scope of the token, as the gateway found it. */
  readonly scope?: string;
  /** Id of the token, so that a token can be compared with what it makes. */
  readonly tokenId?: number;
  readonly requestId: string;
  /** The request is wrong already: whoever checks the rest of it says what else is, and does nothing. See refuse.ts. */
  readonly refused?: boolean;
  /** W3C trace context that the request came with; where nobody traces it is only carried on. */
  readonly traceparent?: string;
}

const current = new AsyncLocalStorage<Caller>();

/** The caller on whose behalf the running code works, if any. */
export const currentCaller = (): Caller | undefined => current.getStore();

/** Runs `work` on behalf of `caller`: calls to other services carry it, log lines name its request. */
export const runAs = <T>(caller: Caller, work: () => T): T => current.run(caller, work);

/** A caller for work that nobody asked for, such as a loop. */
export const anonymous = (): Caller => ({ requestId: randomUUID() });

/** Where something came from, to be stored with what somebody else will go on with. */
export type Trail = Partial<Pick<Caller, "requestId" | "traceparent">>;

/** The request and the trace that the running code belongs to. */
export function trail(): Trail {
  const caller = currentCaller();
  return { requestId: caller?.requestId, traceparent: traceparent() ?? caller?.traceparent };
}

/** Runs `work` as part of the request that left this trail. */
export const withTrail = <T>({ requestId, traceparent }: Trail = {}, work: () => T): T =>
  runAs({ requestId: requestId ?? randomUUID(), traceparent }, work);

/** Runs `work` for itself: whoever happens to set it going has nothing to do with it. */
export const detached = <T>(work: () => T): T => runAs(anonymous(), () => untraced(work));

const keys = {
  userId: "ci-user-id",
  scope: "ci-scope",
  tokenId: "ci-token-id",
  requestId: "x-request-id",
  refused: "ci-refused",
  traceparent: "traceparent",
} as const;

export function toMetadata(caller: Caller, metadata: Metadata = new Metadata()): Metadata {
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
    refused: metadata.get(keys.refused) === "true" || undefined,
    traceparent: metadata.get(keys.traceparent),
  };
}

/** Runs every step of an async generator by `run`: generators do not keep the context between steps. */
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
