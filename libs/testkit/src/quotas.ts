import type { ByteLimit } from "@ci/kit/mongo/byte-quota";
import type { CountLimit } from "@ci/kit/mongo/quota";

/** Returns a limit on a number of records, the default one unless `max` is given. */
export const limitOf = (records: string, per: CountLimit["per"], max = 1_000): CountLimit => ({ records, per, max });

/** Returns a limit on the bytes of a user's records, none unless `max` is given. */
export const storageOf = (records: string, max = 0): ByteLimit => ({ records, max, remedy: `delete ${records}` });

/** The quotas of the namespaces service. */
export const accountQuotas = {
  namespaces: limitOf("Namespaces", "user"),
  tokens: limitOf("Tokens", "user"),
  collaborators: limitOf("Collaborators", "namespace"),
  objects: limitOf("Objects", "namespace"),
  objectStorage: storageOf("objects"),
  variables: limitOf("Variables", "namespace"),
  keys: limitOf("Keys", "namespace"),
};
