import { ApiError } from "@service-ci/client";
import type { Build } from "./api.js";
import { isFinished } from "./format.js";

/** What is known of the builds at some addresses. */
export interface BuildsRead {
  readonly builds: readonly Build[];
  /** Why one of them is missing or may be out of date. */
  readonly error?: unknown;
  /** Whether another reading can bring news. */
  readonly changes: boolean;
}

const isFinal = (error: unknown): boolean => error instanceof ApiError && error.status < 500 && error.status !== 429;

const isSessionOver = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** Reads builds by their addresses. It reads a finished or refused build only once, the others each time. Throws without a session. */
export function buildReader(load: (url: string, signal: AbortSignal) => Promise<Build>) {
  const known = new Map<string, Build>();
  const refused = new Map<string, unknown>();
  const mayChange = (url: string) => !refused.has(url) && !isFinished(known.get(url)?.status ?? "queued");

  return async (urls: readonly string[], signal: AbortSignal): Promise<BuildsRead> => {
    const errors = urls.filter(mayChange).map(async (url) => {
      try {
        known.set(url, await load(url, signal));
        return undefined;
      } catch (error) {
        if (isSessionOver(error)) throw error;
        if (isFinal(error)) refused.set(url, error);
        return error;
      }
    });
    const failed = (await Promise.all(errors)).find((error) => error !== undefined);
    return {
      builds: urls.flatMap((url) => known.get(url) ?? []),
      error: failed ?? urls.map((url) => refused.get(url)).find((error) => error !== undefined),
      changes: urls.some(mayChange),
    };
  };
}
