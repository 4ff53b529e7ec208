import type { Log } from "@ci/kit/log";
import type { ResourceParts } from "./resource-parts.js";
import { openOf, sealFor } from "./secret.js";

/**
 * Seals every value and private key with the first key of the ring that is sealed with another. What cannot be opened
 * is logged and left as it is. Harmless when interrupted, repeated, or run beside the service.
 */
export async function reencrypt({
  variables,
  keys,
  keyring,
  log,
}: Pick<ResourceParts, "variables" | "keys" | "keyring"> & { log: Log }): Promise<{
  resealed: number;
  unreadable: number;
}> {
  const done = { resealed: 0, unreadable: 0 };
  const stores = [["variable", variables] as const, ["key", keys] as const];
  for (const [kind, store] of stores) {
    for await (const doc of store.notSealedWith(keyring.first)) {
      try {
        const renewed = sealFor(keyring, kind, doc._id, openOf(keyring, kind, doc));
        if (await store.reseal(doc, renewed)) done.resealed++;
      } catch (err) {
        log.error({ err, kind, id: doc._id, sealedWith: doc.sealedWith }, "cannot be sealed anew");
        done.unreadable++;
      }
    }
  }
  return done;
}
