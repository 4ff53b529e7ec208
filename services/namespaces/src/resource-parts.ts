import { blobs } from "@ci/kit/bytes/blobs";
import type { Host } from "@ci/kit/process/host";
import type { Call } from "@ci/kit/rpc/rpc";
import type { Keyring } from "@ci/kit/security/secrets";
import type {
  BuildInputServiceImplementation,
  KeyServiceImplementation,
  ObjectServiceImplementation,
  VariableServiceImplementation,
} from "@ci/proto/namespaces/v1/resources";
import type { Config } from "./config.js";
import type { News } from "./context.js";
import { sweepBlobs } from "./loops/sweep-blobs.js";
import { releaseFromNamespaces } from "./release.js";
import { type KeyStore, keyStore } from "./store/keys.js";
import { type ObjectStore, objectStore } from "./store/objects.js";
import { makeResourceIndexes } from "./store/resource-indexes.js";
import { type VariableStore, variableStore } from "./store/variables.js";

/** What the handlers of objects, variables and keys need besides what the others do. */
export interface ResourceParts {
  readonly objects: ObjectStore;
  readonly variables: VariableStore;
  readonly keys: KeyStore;
  /** The bytes of the objects. */
  readonly objectBlobs: ReturnType<typeof blobs>;
  /** Seals values and private keys. */
  readonly keyring: Keyring;
}

export type ObjectHandlers = ObjectServiceImplementation<Call>;
export type VariableHandlers = VariableServiceImplementation<Call>;
export type KeyHandlers = KeyServiceImplementation<Call>;
export type BuildInputHandlers = BuildInputServiceImplementation<Call>;

const sweepEveryMs = 10 * 60_000;

/** Makes the stores of objects, variables and keys with their indexes, and starts the loop that removes bytes nobody refers to. */
export async function resourceParts(h: Host, config: Config, news: News) {
  await makeResourceIndexes(h.db);
  const objectBlobs = blobs(h.db, "objects");
  await objectBlobs.ensureIndexes();
  const parts: ResourceParts = {
    objects: objectStore(h.db, news),
    variables: variableStore(h.db, news),
    keys: keyStore(h.db, news),
    objectBlobs,
    keyring: config.keyring,
  };
  h.loop("sweep-blobs", sweepEveryMs, () => sweepBlobs({ ...parts, now: h.now }));
  return { ...parts, releaseFromNamespaces: (ids: readonly number[]) => releaseFromNamespaces(parts, ids) };
}
