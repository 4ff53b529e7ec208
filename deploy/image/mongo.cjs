// Creates a replica set with passwords from the local mongod, which requires TLS. Runs in a container that shares mongod's
// network, so that mongod treats it as a local client, and in the folder of a service that has the MongoDB driver.
//   node mongo.cjs key KEYS TLS [UID DATA]   writes mongod's files from MONGO_KEY and from the certificate in the folder TLS
//                                            (tls.crt, tls.key, ca.crt): KEYS/mongo, the members' common key, KEYS/tls.pem and
//                                            KEYS/ca.crt. Gives them and the data folder to a user. With MONGO_SELF and POD_IP,
//                                            waits until this member's host name has that address
//   node mongo.cjs once                      creates the set and its users, and makes mongod read its certificate again
//   node mongo.cjs keep KEYS TLS [PORT]      does the same, and then lets members join and leave, and gives mongod each new
//                                            certificate. At the port, it says whether the member is ready
//   node mongo.cjs shrink TLS NUMBER         takes the votes of all members but the first NUMBER, so that the others may stop
//   node mongo.cjs drop USER                 removes users that nobody uses any more: USER, USER_builds and so on
// Environment: MONGO_KEY; MONGO_ROOT_PASSWORD; MONGO_USER (`ci`) and MONGO_PASSWORD of the operator; MONGO_PASSWORD_BUILDS
// and so on of the services, and MONGO_DB_BUILDS and so on if their databases are not named `ci_builds`; MONGO_MEMBERS
// (host:port, separated by commas), or MONGO_MEMBERS_FILE with them, which may change; MONGO_SELF, the beginning of this member's
// host name if there are several members; MONGO_NAME_WITHIN_MS (60 s), after which `key` fails; MONGO_VOTE_AFTER_MS
// (10 min), after which `keep` gives a member that still runs its vote back.
const { lookup } = require("node:dns/promises");
const { chownSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join } = require("node:path");
const { setTimeout: pause } = require("node:timers/promises");
const { firstMemberOf, keepMembers, members, settings, takeVote } = require("./mongo-members.cjs");
const { serveReady } = require("./mongo-ready.cjs");

const setName = "rs0";
const [task, ...rest] = process.argv.slice(2);
const env = (/** @type {string} */ name) => {
  const text = process.env[name];
  if (!text) throw new Error(`${name} is required`);
  return text;
};

/** Loads a package of the service in whose folder this runs. */
const fromService = createRequire(`${process.cwd()}/`);

/**
 * The used part of the driver.
 * @typedef {import("./mongo-members.cjs").Admin} Admin
 * @typedef {{ db: (name: string) => Admin, close: () => Promise<void> }} Client
 * @typedef {Error & { code?: number }} Failure
 */

/**
 * Writes a file that only its owner may read, as mongod demands of its key.
 * @param {string} file
 * @param {string} text
 * @param {number} [uid]
 */
const write = (file, text, uid) => {
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, text, { mode: 0o400 });
  if (uid) chownSync(`${file}.new`, uid, uid);
  renameSync(`${file}.new`, file);
};

/** Returns mongod's files of a certificate: one with the certificate and its key, and the authorities. @param {string} folder */
const certificateIn = (folder) => {
  const read = (/** @type {string} */ name) => readFileSync(join(folder, name), "utf8");
  return { "tls.pem": `${read("tls.crt")}\n${read("tls.key")}`, "ca.crt": read("ca.crt") };
};

/** @param {string} keys @param {string} tls @param {string} [uid] @param {string} [dataFolder] */
const writeKeys = (keys, tls, uid, dataFolder) => {
  const files = { ...certificateIn(tls), mongo: env("MONGO_KEY") };
  for (const [name, text] of Object.entries(files)) write(join(keys, name), text, Number(uid));
  if (!uid || !dataFolder) return;
  // The folder last: without ownership, this process may not be able to read it.
  for (const path of [...readdirSync(dataFolder).map((name) => `${dataFolder}/${name}`), dataFolder])
    chownSync(path, Number(uid), Number(uid));
};

/**
 * Waits until DNS returns this pod's address for its name. mongod looks up its name only when it starts. If it finds the address of
 * the previous pod, it decides that it is not a member of the set, and in a set of one, no other member corrects it.
 */
const untilNamed = async () => {
  const [self, address] = [process.env.MONGO_SELF, process.env.POD_IP];
  if (!self || !address) return;
  const [host] = members()[0].split(":");
  const name = [self, ...host.split(".").slice(1)].join(".");
  const withinMs = Number(process.env.MONGO_NAME_WITHIN_MS || 60_000);
  const startedAt = performance.now();
  for (let looks = 0; ; looks++) {
    // A DNS server would cache the negative answer to an earlier question.
    await pause(1_000);
    const found = await lookup(name, { all: true }).catch(() => []);
    if (found.some((one) => one.address === address)) return;
    if (looks === 0) console.log(`Waiting until ${name} has the address ${address}`);
    if (performance.now() - startedAt > withinMs) throw new Error(`${name} does not have the address ${address}`);
  }
};

/** @param {{ username: string, password: string }} [auth] @returns {Promise<Client>} */
const connect = async (auth) => {
  const { MongoClient } = fromService("mongodb");
  // All members listen on the same port.
  const [, port] = members()[0].split(":");
  // Only mongod can listen on this address. Its certificate may be one that expired, or of an authority that was replaced.
  const tls = { tls: true, tlsAllowInvalidCertificates: true, tlsAllowInvalidHostnames: true };
  const options = { auth, ...tls, directConnection: true, serverSelectionTimeoutMS: 2_000 };
  return MongoClient.connect(`mongodb://127.0.0.1:${port}/`, options);
};
const rootUser = () => ({ username: "root", password: env("MONGO_ROOT_PASSWORD") });
const asRoot = () => connect(rootUser());

/** @template T @param {Client} client @param {(admin: Admin) => Promise<T>} work */
const closing = async (client, work) => {
  try {
    return await work(client.db("admin"));
  } finally {
    await client.close();
  }
};

const alreadyInitialized = 23;
const authenticationFailed = 18;
const notPrimary = 10107;
const unless = (/** @type {number} */ code) => (/** @type {Failure} */ error) => {
  if (error.code !== code) throw error;
};

/** Of several members, only the first may create the set: two would create two sets. */
const mayCreateSet = () => !process.env.MONGO_SELF || members()[0].startsWith(`${process.env.MONGO_SELF}.`);

/** While there is no user, a local client may create the set and the first user, and nothing else. */
const createSet = async () => {
  const client = await connect();
  await closing(client, async (admin) => {
    const config = { _id: setName, members: members().map(firstMemberOf), settings };
    await admin.command({ replSetInitiate: config }).catch(unless(alreadyInitialized));
    await admin.command({ createUser: "root", pwd: env("MONGO_ROOT_PASSWORD"), roles: ["root"] });
  });
};

/** @template T @param {(admin: Admin) => Promise<T>} work */
const withRoot = async (work) => closing(await asRoot(), work);

/** Works with the primary, wherever it is. @template T @param {string} tls @param {(admin: Admin) => Promise<T>} work */
const withPrimary = async (tls, work) => {
  const { MongoClient } = fromService("mongodb");
  const options = { auth: rootUser(), tls: true, tlsCAFile: join(tls, "ca.crt"), serverSelectionTimeoutMS: 10_000 };
  const url = `mongodb://${members()}/?replicaSet=${setName}`;
  return closing(await MongoClient.connect(url, options), work);
};

/** Creates or updates the users. Those with other names stay, because running services may still use them. @param {Admin} admin */
const putUsers = (admin) => {
  const { mongoUsers, putMongoUsers } = fromService("@ci/kit/mongo/users");
  const users = mongoUsers({
    operator: process.env.MONGO_USER || "ci",
    databaseOf: (/** @type {string} */ service) => process.env[`MONGO_DB_${service.toUpperCase()}`] || `ci_${service}`,
    passwordOf: (/** @type {string} */ service = "") =>
      env(service ? `MONGO_PASSWORD_${service.toUpperCase()}` : "MONGO_PASSWORD"),
  });
  return putMongoUsers(admin, users);
};

/** @param {Admin} admin @param {string} operator */
const dropUsers = (admin, operator) => fromService("@ci/kit/mongo/users").dropMongoUsers(admin, operator);

/** Takes the votes of all members but the first ones, or says after two minutes what prevents it. @param {string} tls @param {number} number */
const shrink = async (tls, number) => {
  const hosts = members();
  if (!(number >= 1 && number <= hosts.length)) throw new Error(`NUMBER must be from 1 to ${hosts.length}`);
  const wanted = hosts.slice(0, number);
  let printed = "";
  for (const startedAt = performance.now(); ; await pause(500)) {
    const outcome = await withPrimary(tls, (admin) => takeVote(admin, wanted)).catch(
      (/** @type {Failure} */ error) => error,
    );
    if (outcome === true) return console.log(`Only these members vote: ${wanted.join(", ")}`);
    if (outcome && performance.now() - startedAt > 120_000) throw outcome;
    if (outcome && outcome.message !== printed) console.log(outcome.message);
    printed = outcome ? outcome.message : "";
  }
};

/** New connections get the certificate that is in mongod's files now. Others continue. @param {Admin} admin */
const rotate = (admin) => admin.command({ rotateCertificates: 1 });

let mustRotate = false;

/** Gives mongod a certificate that has changed, such as one that cert-manager renewed. @param {string} keys @param {string} tls */
const keepCertificate = async (keys, tls) => {
  for (const [name, text] of Object.entries(certificateIn(tls))) {
    const file = join(keys, name);
    if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
    write(file, text);
    mustRotate = true;
  }
  if (!mustRotate) return;
  await withRoot(rotate);
  mustRotate = false;
  console.log("mongod uses a new certificate");
};

/** Creates the set and its users. If this member may be a secondary and is one, returns false: the users are not updated. @param {boolean} mayBeSecondary */
const ensureSet = async (mayBeSecondary) => {
  let printed = "";
  for (;;) {
    try {
      await withRoot(putUsers);
      return true;
    } catch (thrown) {
      const error = /** @type {Failure} */ (thrown);
      if (mayBeSecondary && error.code === notPrimary) return false;
      const noUser = error.code === authenticationFailed && mayCreateSet();
      const failure = noUser ? await createSet().catch((reason) => reason) : error;
      if (failure && failure.message !== printed) console.log(failure.message);
      printed = failure?.message ?? "";
    }
    await pause(500);
  }
};

const hello = async () => closing(await connect(), (admin) => admin.command({ hello: 1 }));

let hasUsers = false;

/** Updates the users once this member is the primary. */
const keepUsers = async () => {
  const { isWritablePrimary } = await hello();
  if (isWritablePrimary) hasUsers ||= await withRoot(putUsers).then(() => true);
};

/** @param {number} ms @param {() => Promise<unknown>} step */
const every = async (ms, step) => {
  for (;;) {
    await pause(ms);
    await step().catch((error) => console.log(error.message));
  }
};

const main = async () => {
  if (task === "key") {
    await untilNamed();
    return writeKeys(rest[0], rest[1], rest[2], rest[3]);
  }
  if (task === "drop") return withRoot((admin) => dropUsers(admin, rest[0]));
  if (task === "shrink") return shrink(rest[0], Number(rest[1]));
  if (task !== "once" && task !== "keep") throw new Error("The tasks are key, drop, once, keep and shrink");
  const [keys, tls, port] = rest;
  if (port) serveReady(Number(port), hello);
  hasUsers = await ensureSet(task === "keep");
  await withRoot(rotate);
  console.log(hasUsers ? `The replica set ${setName} is ready` : `Another member of ${setName} is the primary`);
  if (task === "once") return;
  await Promise.all([
    every(30_000, () => withRoot(keepMembers)),
    every(5_000, async () => hasUsers || keepUsers()),
    // A file is read faster than a password is checked.
    every(5_000, () => keepCertificate(keys, tls)),
  ]);
};

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(0));
main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
