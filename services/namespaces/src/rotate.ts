import { createLog } from "@ci/kit/log";
import { openMongo } from "@ci/kit/mongo";
import { readConfig } from "./config.js";
import { reencrypt } from "./reencrypt.js";
import { keyStore } from "./store/keys.js";
import { makeResourceIndexes } from "./store/resource-indexes.js";
import { variableStore } from "./store/variables.js";

/**
 * Run once by hand after a new key was put first in SECRET_KEYS and every replica knows it; when it ends with 0,
 * no secret here needs the older keys any more.
 */
async function rotate(): Promise<number> {
  const { keyring, logLevel, mongoUrl, mongoDb } = readConfig();
  const log = createLog("namespaces", logLevel);
  await using mongo = await openMongo(mongoUrl, mongoDb);
  await makeResourceIndexes(mongo.db);
  const quiet = () => {};
  const stores = { variables: variableStore(mongo.db, quiet), keys: keyStore(mongo.db, quiet) };
  const done = await reencrypt({ ...stores, keyring, log });
  log.info(done, "secrets sealed anew");
  return done.unreadable > 0 ? 1 : 0;
}

rotate().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
