import { createHash, createHmac } from "node:crypto";

/** What a build keeps of the request that made it, if its client may repeat it: hashes of the key and of what it asked for. */
export interface Idempotency {
  readonly key: string;
  readonly request: string;
}

/** What a request asks for: its operation first, and nothing that differs when a client repeats it. */
type Request = readonly [operation: string, ...fields: unknown[]];

/** Returns undefined without a key. A user's key never finds a build of another user's request. */
export function idempotencyOf(userId: number, key: string, request: Request): Idempotency | undefined {
  if (key === "") return undefined;
  const own = JSON.stringify([userId, key]);
  return {
    key: createHash("sha256").update(own).digest("base64url"),
    // Without a random key, which is not stored, nobody can test guesses of variables against this hash.
    request: createHmac("sha256", own).update(JSON.stringify(request)).digest("base64url"),
  };
}

/** Returns the entries of a map in a fixed order, whatever order the client sent them in. */
export const inFixedOrder = (map: Readonly<Record<string, string>>): readonly (readonly [string, string])[] =>
  Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
