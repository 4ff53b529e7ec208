// `npm start`: runs the whole system on this machine, from a clean clone with nothing but Node and npm.
//   --once   exit after the sample build; the exit code is 0 only if it passed and its webhook received the events. After
//            a signal, it is 128 plus the signal's number
//   --fresh  delete the data of earlier starts
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { apiAt } from "./api.mjs";
import { onStop, runCommand, stopOnSignals } from "./cleanup.mjs";
import { firstBuild, signInLink, welcome } from "./first-build.mjs";
import { readOptions } from "./options.mjs";
import { prepare, startedParts } from "./prepare.mjs";
import { startReceiver } from "./sample-receiver.mjs";
import { startSystem } from "./system.mjs";

const start = async () => {
  const options = readOptions(process.argv.slice(2), process.env);
  const { url, ownUrl, port, dataDir, once } = options;
  const { drivers, sample: driver, image, ...keys } = await prepare(options);
  const { adminToken } = keys;
  const secret = randomBytes(16).toString("hex");
  const receiver = await startReceiver(secret, options.headerPrefix);
  onStop(receiver.stop);
  const guardAllow = [process.env.CI_GUARD_ALLOW, receiver.address].filter(Boolean).join(",");
  console.log(`Starting ${startedParts()} ...`);
  const system = await startSystem({ url, port, ...keys, guardAllow, drivers, dataDir, restart: true });
  onStop(system.stop);
  const died = system.died.then((sentence) => Promise.reject(new Error(sentence)));
  const api = apiAt(ownUrl, adminToken, url);
  const first = driver ? firstBuild(api, { driver, image, receiver, secret }) : { good: false, build: undefined };
  const { good, build } = await Promise.race([first, died]);
  if (once) return good ? 0 : 1;
  const signIn = await signInLink(api);
  console.log(welcome(options, { adminToken, signIn, driver, image, build }));
  console.log(`Logs are in ${join(dataDir, "logs")}. Ctrl-C stops everything.`);
  return died;
};

stopOnSignals(process.argv.includes("--once"));
await runCommand(start);
