import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { Fault } from "@ci/kit/rpc/fault";
import type { BuildDoc } from "./build.js";

/** Returns what a build stores of the secret of its lease. */
export const hashOf = (secret = ""): string => createHash("sha256").update(secret).digest("hex");

/** The secret of a lease, which only its runner gets, and what the build stores of it. */
export interface LeaseSecret {
  readonly secret: string;
  readonly hash: string;
}

export function newLeaseSecret(): LeaseSecret {
  const secret = randomBytes(24).toString("base64url");
  return { secret, hash: hashOf(secret) };
}

/**
 * Throws `conflict` unless the secret is that of the build's last claim. A lease that an older version gave has none and
 * accepts none: its build returns to the queue when the lease ends.
 */
export function requireSecret({ _id: id, leaseHash }: Pick<BuildDoc, "_id" | "leaseHash">, secret = ""): void {
  const isTrue = leaseHash !== undefined && timingSafeEqual(Buffer.from(leaseHash), Buffer.from(hashOf(secret)));
  if (!isTrue) throw new Fault("conflict", `Build ${id} is not held by this lease`);
}
