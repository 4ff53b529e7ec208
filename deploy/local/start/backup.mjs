// `npm run backup -- DIR` and `npm run restore -- DIR`: all databases to a folder and back (docs/operating/backup.md).
// Without MONGO_URL in the environment, they use the MongoDB of the running `npm start`.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "../provision/build.mjs";
import { install } from "../provision/install.mjs";
import { repoRoot, run } from "../provision/machine.mjs";
import { dataDirOf } from "./options.mjs";
import { databaseOf } from "./parts.mjs";
import { storedServices } from "./service-keys.mjs";
import { mongoUrlFile } from "./settings.mjs";

const backup = async () => {
  await install();
  await build(["deploy/backup"]);
  const file = mongoUrlFile(dataDirOf());
  const localUrl = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const env = { ...process.env, MONGO_URL: process.env.MONGO_URL || localUrl };
  const script = join(repoRoot, "deploy/backup/dist/main.js");
  const databases = storedServices.flatMap((name) =>
    databaseOf(name) ? ["--database", `${name}=${databaseOf(name)}`] : [],
  );
  const args = [script, ...databases, ...process.argv.slice(2)];
  const { code } = await run(process.execPath, args, { env, stdio: "inherit" });
  return code ?? 1;
};

process.exitCode = await backup().catch((/** @type {Error} */ error) => {
  console.error(error.message);
  return 1;
});
