// `npm run rotate`: re-encrypts everything with the first of SECRET_KEYS (docs/operating/secrets.md).
// Without MONGO_URL and SECRET_KEYS in the environment, it uses those of the running `npm start`.
import { join } from "node:path";
import { build } from "../provision/build.mjs";
import { install } from "../provision/install.mjs";
import { repoRoot, run } from "../provision/machine.mjs";
import { dataDirOf } from "./options.mjs";
import { databaseOf } from "./parts.mjs";
import { storedServices } from "./service-keys.mjs";
import { mongoSettings, settingsFile, settingsIn } from "./settings.mjs";

const dataDir = dataDirOf();

const rotateAll = async () => {
  await install();
  await build();
  const { MONGO_URL, MONGO_DB } = mongoSettings(dataDir);
  const env = {
    ...process.env,
    MONGO_URL,
    SECRET_KEYS: process.env.SECRET_KEYS || settingsIn(settingsFile(dataDir)).secretKeys,
  };
  let failed = false;
  for (const service of storedServices) {
    const script = join(repoRoot, "services", service, "dist/actions/rotate.js");
    const { code } = await run(process.execPath, [script], {
      env: { ...env, MONGO_DB: databaseOf(service, MONGO_DB) },
      stdio: "inherit",
    });
    failed ||= code !== 0;
  }
  console.log(failed ? "Keep all keys: some values are not re-encrypted." : "You can remove all keys but the first.");
  return failed ? 1 : 0;
};

process.exitCode = await rotateAll().catch((/** @type {Error} */ error) => {
  console.error(error.message);
  return 1;
});
