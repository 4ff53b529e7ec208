// `npm run backup -- DIR` and `npm run restore -- DIR`: all databases to a folder and back (docs/operating/backup.md).
// Without MONGO_URL, a backup uses the MongoDB of the running `npm start`, and a restore starts one on its data folder.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "../provision/build.mjs";
import { install } from "../provision/install.mjs";
import { freePort, repoRoot, run } from "../provision/machine.mjs";
import { withMongod } from "./mongo-users.mjs";
import { dataDirOf } from "./options.mjs";
import { databaseOf } from "./parts.mjs";
import { storedServices } from "./service-keys.mjs";
import { holdData, mongoSettings, settingsFile } from "./settings.mjs";

/** @param {string[]} args @param {{ MONGO_URL?: string, MONGO_DB?: string }} mongo */
const runScript = async (args, { MONGO_URL, MONGO_DB }) => {
  const script = join(repoRoot, "deploy/backup/dist/main.js");
  const databases = storedServices.flatMap((name) => {
    const database = databaseOf(name, MONGO_DB);
    return database ? ["--database", `${name}=${database}`] : [];
  });
  const env = { ...process.env, MONGO_URL };
  return (await run(process.execPath, [script, ...databases, ...args], { env, stdio: "inherit" })).code;
};

/** @param {string[]} args @param {string} folder */
const restoreInto = async (args, folder) => {
  const dataDir = join(folder, "mongod");
  const hadData = existsSync(dataDir);
  const at = { dataDir, port: await freePort(), logFile: join(folder, "logs/mongod.log") };
  let code = 1;
  await withMongod(at, async ({ url }) => {
    code = await runScript(args, { MONGO_URL: url, MONGO_DB: mongoSettings(folder).MONGO_DB });
  });
  if (code !== 0 && hadData && !args.includes("--replace"))
    console.error(`${folder} has data already: set CI_DATA to a new folder, or restore with --replace.`);
  if (code === 0 && !existsSync(settingsFile(folder)))
    console.log(
      `Copy settings.json of the backed-up installation to ${folder}, or set its SECRET_KEYS: npm start would make others.`,
    );
  return code;
};

const backup = async () => {
  const args = process.argv.slice(2);
  const folder = dataDirOf();
  const restoresHere = args[0] === "restore" && !process.env.MONGO_URL;
  const mongo = mongoSettings(folder);
  if (restoresHere) await holdData(folder);
  else if (args.length > 1 && !mongo.MONGO_URL)
    throw new Error(
      `No npm start runs with the data in ${folder}: start it, set CI_DATA to its folder, or set MONGO_URL.`,
    );
  await install();
  await build(["deploy/backup"]);
  return restoresHere ? restoreInto(args, folder) : runScript(args, mongo);
};

process.exitCode = await backup().catch((/** @type {Error} */ error) => {
  console.error(error.message);
  return 1;
});
