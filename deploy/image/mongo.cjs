// Creates a replica set with passwords from the local mongod, which requires TLS. Runs in a container that shares mongod's
// network, so that mongod treats it as a local client, and in the folder of a service that has the MongoDB driver.
//   node mongo.cjs key KEYS TLS [UID DATA]   writes mongod's files from MONGO_KEY and from the certificate in the folder TLS
//                                            (tls.crt, tls.key, ca.crt): KEYS/mongo, the members' common key, KEYS/tls.pem and
//                                            KEYS/ca.crt. Gives them and the data folder to a user
//   node mongo.cjs once                      creates the set and its users, and makes mongod read its certificate again
//   node mongo.cjs keep KEYS TLS             does the same, and then lets members join and leave, and gives mongod each new
//                                            certificate
//   node mongo.cjs shrink TLS NUMBER         takes the votes of all members but the first NUMBER, so that the others may stop
//   node mongo.cjs drop USER                 removes users that nobody uses any more: USER, USER_builds and so on
// Environment: MONGO_KEY; MONGO_ROOT_PASSWORD; MONGO_USER (`ci`) and MONGO_PASSWORD of the operator; MONGO_PASSWORD_BUILDS
// and so on of the services, and MONGO_DB_BUILDS and so on if their databases are not named `ci_builds`; MONGO_MEMBERS
// (host:port, separated by commas); MONGO_SELF, the beginning of this member's host name if there are several members;
// MONGO_VOTE_AFTER_MS (10 min), after which `keep` gives a member that still runs its vote back.
const { chownSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join } = require("node:path");
const { setTimeout: pause } = require("node:timers/promises");

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
 * @typedef {{ command: (command: object) => Promise<any> }} Admin
 * @typedef {{ db: (name: string) => Admin, close: () => Promise<void> }} Client
 * @typedef {Error & { code?: number }} Failure
 * @typedef {{ _id: number, host: string, priority: number, votes?: number }} Member
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

/** @param {{ username: string, password: string }} [auth] @returns {Promise<Client>} */
const connect = async (auth) => {
  const { MongoClient } = fromService("mongodb");
  // All members listen on the same port.
  const [, port] = env("MONGO_MEMBERS").split(",")[0].split(":");
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
const unless = (/** @type {number} */ code) => (/** @type {Failure} */ error) => {
  if (error.code !== code) throw error;
};

/** The first member has priority, because it creates the users. @param {string} host @param {number} id */
const memberOf = (host, id) => ({ _id: id, host, priority: id === 0 ? 2 : 1 });

/** Of several members, only the first may create the set: two would create two sets. */
const mayCreateSet = () => !process.env.MONGO_SELF || env("MONGO_MEMBERS").startsWith(`${process.env.MONGO_SELF}.`);

/** While there is no user, a local client may create the set and the first user, and nothing else. */
const createSet = async () => {
  const client = await connect();
  await closing(client, async (admin) => {
    const members = env("MONGO_MEMBERS").split(",").map(memberOf);
    await admin.command({ replSetInitiate: { _id: setName, members } }).catch(unless(alreadyInitialized));
    await admin.command({ createUser: "root", pwd: env("MONGO_ROOT_PASSWORD"), roles: ["root"] });
  });
};

/** @template T @param {(admin: Admin) => Promise<T>} work */
const withRoot = async (work) => closing(await asRoot(), work);

/** Works with the primary, wherever it is. @template T @param {string} tls @param {(admin: Admin) => Promise<T>} work */
const withPrimary = async (tls, work) => {
  const { MongoClient } = fromService("mongodb");
  const options = { auth: rootUser(), tls: true, tlsCAFile: join(tls, "ca.crt"), serverSelectionTimeoutMS: 10_000 };
  const url = `mongodb://${env("MONGO_MEMBERS")}/?replicaSet=${setName}`;
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

/** @param {Admin} admin @param {any} config @param {Member[]} members */
const reconfigure = (admin, config, members) =>
  admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, maxTimeMS: 20_000 });

/** Returns the hosts of the members that are a primary or a secondary. @param {Admin} admin @returns {Promise<string[]>} */
const runningHosts = async (admin) => {
  const { members } = await admin.command({ replSetGetStatus: 1 });
  const states = /** @type {{ name: string, state: number }[]} */ (members);
  return states.filter(({ state }) => state === 1 || state === 2).map(({ name }) => name);
};

let votelessSince = 0;

/** Returns a running member without a vote, if there has been one for long. @param {Admin} admin @param {Member[]} members */
const longVoteless = async (admin, members) => {
  const running = await runningHosts(admin);
  const found = members.find(({ host, votes }) => votes === 0 && running.includes(host));
  votelessSince = found ? votelessSince || performance.now() : 0;
  const waitMs = Number(process.env.MONGO_VOTE_AFTER_MS || 600_000);
  return performance.now() - votelessSince >= waitMs ? found : undefined;
};

/** Adds, removes or changes one member, since MongoDB allows one at a time. Only the primary can do that. @param {Admin} admin */
const keepMembers = async (admin) => {
  if (!(await admin.command({ hello: 1 })).isWritablePrimary) {
    votelessSince = 0;
    return;
  }
  const { config } = await admin.command({ replSetGetConfig: 1 });
  const present = /** @type {Member[]} */ (config.members);
  const wanted = env("MONGO_MEMBERS").split(",");
  const missing = wanted.find((host) => !present.some((member) => member.host === host));
  const leaving = present.find(({ host }) => !wanted.includes(host));
  if (missing) {
    const nextId = Math.max(...present.map(({ _id }) => _id)) + 1;
    await reconfigure(admin, config, [...present, memberOf(missing, nextId)]);
    return console.log(`${missing} joins`);
  }
  const changed = leaving ?? (await longVoteless(admin, present));
  if (!changed) return;
  const others = present.filter((member) => member !== changed);
  await reconfigure(admin, config, leaving ? others : [...others, memberOf(changed.host, changed._id)]);
  console.log(`${changed.host} ${leaving ? "leaves" : "votes again"}`);
};

/** Takes one vote, or reports that all are taken. A removed member would join again: others still list it. @param {Admin} admin @param {string[]} wanted */
const takeVote = async (admin, wanted) => {
  const { config, commitmentStatus } = await admin.command({ replSetGetConfig: 1, commitmentStatus: true });
  const present = /** @type {Member[]} */ (config.members);
  const voters = present.filter(({ host, votes }) => votes !== 0 && !wanted.includes(host));
  if (voters.length === 0) return commitmentStatus === true;
  const running = await runningHosts(admin);
  const missing = wanted.find((host) => !running.includes(host));
  if (missing) throw new Error(`${missing} is to stay in the set and must run, but does not`);
  const { me } = await admin.command({ hello: 1 });
  // Members that do not run lose their votes first: a majority of the voters has to accept each change.
  const next = voters.find(({ host }) => !running.includes(host)) ?? voters.find(({ host }) => host !== me);
  if (!next) await admin.command({ replSetStepDown: 60 });
  else
    await reconfigure(
      admin,
      config,
      present.map((one) => (one === next ? { ...one, votes: 0, priority: 0 } : one)),
    );
  console.log(next ? `${next.host} has no vote any more` : `${me} is to leave and is primary no longer`);
  return false;
};

/** Takes the votes of all members but the first ones, or says after two minutes what prevents it. @param {string} tls @param {number} number */
const shrink = async (tls, number) => {
  const hosts = env("MONGO_MEMBERS").split(",");
  if (!(number >= 1 && number <= hosts.length)) throw new Error(`NUMBER must be from 1 to ${hosts.length}`);
  const wanted = hosts.slice(0, number);
  for (const startedAt = performance.now(); ; await pause(500)) {
    const outcome = await withPrimary(tls, (admin) => takeVote(admin, wanted)).catch(
      (/** @type {Failure} */ error) => error,
    );
    if (outcome === true) return console.log(`Only these members vote: ${wanted.join(", ")}`);
    if (outcome && performance.now() - startedAt > 120_000) throw outcome;
    if (outcome) console.log(outcome.message);
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

const ensureSet = async () => {
  let printed = "";
  for (;;) {
    try {
      return await withRoot(putUsers);
    } catch (thrown) {
      const error = /** @type {Failure} */ (thrown);
      const noUser = error.code === authenticationFailed && mayCreateSet();
      const failure = noUser ? await createSet().catch((reason) => reason) : error;
      if (failure && failure.message !== printed) console.log(failure.message);
      printed = failure?.message ?? "";
    }
    await pause(500);
  }
};

/** @param {number} ms @param {() => Promise<unknown>} step */
const every = async (ms, step) => {
  for (;;) {
    await pause(ms);
    await step().catch((error) => console.log(error.message));
  }
};

const main = async () => {
  if (task === "key") return writeKeys(rest[0], rest[1], rest[2], rest[3]);
  if (task === "drop") return withRoot((admin) => dropUsers(admin, rest[0]));
  if (task === "shrink") return shrink(rest[0], Number(rest[1]));
  if (task !== "once" && task !== "keep") throw new Error("The tasks are key, drop, once, keep and shrink");
  await ensureSet();
  await withRoot(rotate);
  console.log(`The replica set ${setName} is ready`);
  if (task === "once") return;
  const [keys, tls] = rest;
  await Promise.all([
    every(30_000, () => withRoot(keepMembers)),
    // A file is read faster than a password is checked.
    every(5_000, () => keepCertificate(keys, tls)),
  ]);
};

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(0));
main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
