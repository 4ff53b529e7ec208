import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { Fault } from "@ci/kit/rpc/fault";
import type { BuildDoc } from "./build.js";

/** Returns the hash of a lease's secret, which the build stores. */
export const hashOf = (secret = ""): string => createHash("sha256").update(secret).digest("hex");

/** The secret of a lease, which only its runner gets, and its hash, which the build stores. */
interface LeaseSecret {
  readonly secret: string;
  readonly hash: string;
}

export function newLeaseSecret(): LeaseSecret {
  const secret = randomBytes(24).toString("base64url");
  return { secret, hash: hashOf(secret) };
}

/**
 * Throws `conflict` unless the secret belongs to the build's last claim. Leases from older versions have no secret and
 * accept none: their builds return to the queue when the lease ends.
 */
export function requireSecret({ _id: id, leaseHash }: Pick<BuildDoc, "_id" | "leaseHash">, secret = ""): void {
  const isTrue = leaseHash !== undefined && timingSafeEqual(Buffer.from(leaseHash), Buffer.from(hashOf(secret)));
  if (!isTrue) throw new Fault("conflict", `Build ${id} is not held by this lease`);
}
