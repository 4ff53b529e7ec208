// `npm run backup -- DIR` and `npm run restore -- DIR`: all databases to a folder, and back (docs/operating/backup.md).
// Without MONGO_URL in the environment it is about what `npm start` runs at this moment.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "../provision/build.mjs";
import { install } from "../provision/install.mjs";
import { repoRoot, run } from "../provision/machine.mjs";
import { dataDirOf } from "./options.mjs";
import { databaseOf } from "./parts.mjs";
import { mongoUrlFile } from "./settings.mjs";

const backup = async () => {
  await install();
  await build();
  const file = mongoUrlFile(dataDirOf());
  const own = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const env = { ...process.env, MONGO_URL: process.env.MONGO_URL || own };
  const script = join(repoRoot, "libs/kit/dist/backup/main.js");
  const services = ["namespaces", "images", "builds", "webhooks"];
  const named = services.flatMap((name) => (databaseOf(name) ? ["--database", `${name}=${databaseOf(name)}`] : []));
  const args = [script, ...named, ...process.argv.slice(2)];
  const { code } = await run(process.execPath, args, { env, stdio: "inherit" });
  return code ?? 1;
};

process.exitCode = await backup().catch((/** @type {Error} */ error) => {
  console.error(error.message);
  return 1;
});
