import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Mongo, openMongo } from "@ci/kit/mongo/mongo";
import { storedServices } from "@ci/kit/mongo/users";
import { eventually } from "@ci/testkit/eventually";
import { freePort } from "@ci/testkit/ports";
import { startMongoWith } from "@ci/testkit/stores";
import { installedCertificates } from "./_certificates.js";
import { mongodOptions } from "./_environments.js";
import { imageScript, runningScript } from "./_scripts.js";

const dir = mkdtempSync(join(tmpdir(), "ci-mongo-members-"));
let certificates: string;
beforeAll(async () => {
  certificates = await installedCertificates();
  await imageScript("mongo.cjs", ["key", dir, join(certificates, "mongo")], { MONGO_KEY: "k".repeat(64) });
});
afterAll(() => {
  for (const folder of [dir, certificates]) rmSync(folder, { recursive: true, force: true });
});

const passwords = Object.fromEntries(
  ["", ...storedServices.map((name) => `_${name}`)].map((name) => [`MONGO_PASSWORD${name.toUpperCase()}`, "m"]),
);

const startMember = (...more: string[]) =>
  startMongoWith(...mongodOptions().map((option) => option.replace("/keys", dir)), ...more);

/** Works with a database of one member. What is written is on a majority of the voting members. */
async function withDb<T>(
  host: string,
  name: string,
  work: (db: Mongo["db"]) => Promise<T>,
  user = "root:r",
): Promise<T> {
  const options = `directConnection=true&authSource=admin&tls=true&tlsCAFile=${certificates}/ca/ca.crt`;
  await using mongo = await openMongo(`mongodb://${user}@${host}/?${options}`, name);
  return await work(mongo.db);
}

const recordsIn = (db: Mongo["db"]) => db.collection<{ _id: number }>("records");

/** Creates the set of a chart with these members. */
async function setOf(...members: readonly { readonly address: string }[]) {
  const hosts = members.map(({ address }) => address);
  const environment = (known = hosts) => ({ ...passwords, MONGO_ROOT_PASSWORD: "r", MONGO_MEMBERS: known.join(",") });
  await imageScript("mongo.cjs", ["once"], environment());
  const tls = join(certificates, "mongo");
  return {
    hosts,
    shrinkTo: (number: number | string) => imageScript("mongo.cjs", ["shrink", tls, `${number}`], environment()),
    /** Runs the container beside a member, which knows these members. */
    keep: (known: string[], more = {}) =>
      runningScript("mongo.cjs", ["keep", dir, tls], { ...environment(known), ...more }),
    makePrimary: (host: string) => eventually(() => withDb(host, "admin", (db) => db.command({ replSetStepUp: 1 }))),
    put: (host: string, _id: number) =>
      eventually(() =>
        withDb(host, "ci_builds", (db) => recordsIn(db).updateOne({ _id }, { $set: { kept: true } }, { upsert: true })),
      ),
    records: (host: string) => withDb(host, "ci_builds", (db) => recordsIn(db).distinct("_id")),
    /** Returns the votes of the hosts in the set. */
    votes: (host: string): Promise<Record<string, number>> =>
      withDb(host, "admin", async (db) => {
        const { config } = await db.command({ replSetGetConfig: 1 });
        return Object.fromEntries(config.members.map((one: { host: string; votes: number }) => [one.host, one.votes]));
      }),
  };
}

/** Enough for two members, which leave or vote again one after the other. */
const patience = { withinMs: 150_000, everyMs: 500 };

it("a set of three shrinks to one, which keeps all records and remains primary when it starts again", async () => {
  await using first = await startMember();
  await using second = await startMember();
  await using third = await startMember();
  const set = await setOf(first, second, third);
  const one = first.address;
  {
    await using _before = set.keep(set.hosts);
    await set.put(one, 1);
    await set.makePrimary(third.address);
    await set.shrinkTo(1);
    await set.put(one, 2);
    for (const { mongo } of [second, third]) await mongo.kill();
    await set.put(one, 3);
  }
  await first.mongo.kill();
  await first.mongo.start();
  await set.put(one, 4);
  await using _after = set.keep([one]);
  await eventually(async () => expect(await set.votes(one)).toEqual({ [one]: 1 }), patience);
  expect(await set.records(one)).toEqual([1, 2, 3, 4]);
});

it("a set of three whose last member does not run shrinks to one", async () => {
  await using first = await startMember();
  await using second = await startMember();
  await using third = await startMember();
  const set = await setOf(first, second, third);
  const [one, two, three] = set.hosts as [string, string, string];
  await set.put(one, 1);
  await third.mongo.kill();
  await set.shrinkTo(1);
  expect(await set.votes(one)).toEqual({ [one]: 1, [two]: 0, [three]: 0 });
});

it("members that still run after a shrink get their votes back", async () => {
  await using first = await startMember();
  await using second = await startMember();
  await using third = await startMember();
  const { hosts, ...set } = await setOf(first, second, third);
  const one = hosts[0]!;
  const votes = (others: number) => ({ [one]: 1, [hosts[1]!]: others, [hosts[2]!]: others });
  await expect(set.shrinkTo("none")).rejects.toThrow("NUMBER must be from 1 to 3");
  await set.shrinkTo(1);
  expect(await set.votes(one)).toEqual(votes(0));
  await using _keeping = set.keep(hosts, { MONGO_VOTE_AFTER_MS: "0" });
  await eventually(async () => expect(await set.votes(one)).toEqual(votes(1)), patience);
});

it("the first member creates the set, and then gets the priority of the others without an election", async () => {
  await using first = await startMember();
  await using second = await startMember();
  await using third = await startMember();
  const { hosts, ...set } = await setOf(first, second, third);
  const priorities = (host: string) =>
    withDb(host, "admin", async (db) => {
      const { config } = await db.command({ replSetGetConfig: 1 });
      return Object.fromEntries(
        config.members.map((one: { host: string; priority: number }) => [one.host, one.priority]),
      );
    });
  const term = (host: string) => withDb(host, "admin", async (db) => (await db.command({ replSetGetStatus: 1 })).term);
  const [one, two, three] = hosts as [string, string, string];
  await set.put(one, 1);
  const before = await term(one);
  await using _keeping = set.keep(hosts);
  await eventually(async () => expect(await priorities(one)).toEqual({ [one]: 1, [two]: 1, [three]: 1 }), patience);
  expect(await term(one)).toBe(before);
});

it("members read from the primary only, also in a set that an earlier version created", async () => {
  await using first = await startMember();
  const { hosts, ...set } = await setOf(first);
  const inAdmin = <T>(work: (db: Mongo["db"]) => Promise<T>) => withDb(first.address, "admin", work);
  const chains = async (db: Mongo["db"]) => (await db.command({ replSetGetConfig: 1 })).config.settings.chainingAllowed;
  expect(await inAdmin(chains)).toBe(false);
  await inAdmin(async (db) => {
    const { config } = await db.command({ replSetGetConfig: 1 });
    const settings = { ...config.settings, chainingAllowed: true };
    await db.command({ replSetReconfig: { ...config, settings, version: config.version + 1 } });
  });
  expect(await inAdmin(chains)).toBe(true);
  await using _keeping = set.keep(hosts);
  await eventually(async () => expect(await inAdmin(chains)).toBe(false), patience);
});

it("a secondary gets a new certificate, and updates the users once it is the primary", async () => {
  await using first = await startMember();
  await using second = await startMember();
  const set = await setOf(first, second);
  const [one, two] = set.hosts as [string, string];
  // mongod has read it, and the file now differs from that of the certificate.
  const file = join(dir, "ca.crt");
  const authorities = readFileSync(file, "utf8");
  rmSync(file);
  writeFileSync(file, `${authorities}\n`, { mode: 0o400 });
  await eventually(() => withDb(two, "admin", (db) => db.command({ ping: 1 })), patience);
  await using _keeping = set.keep([two, one], { MONGO_PASSWORD: "new" });
  await eventually(() => expect(readFileSync(file, "utf8")).toBe(authorities), patience);
  await set.makePrimary(two);
  await eventually(() => withDb(two, "ci_builds", (db) => db.command({ ping: 1 }), "ci:new"), patience);
});

it("a member is ready when it has the data, and while it belongs to no set", async () => {
  const hangs = 'failpoint.initialSyncHangBeforeCopyingDatabases={"mode":"alwaysOn"}';
  await using first = await startMember();
  await using second = await startMember();
  await using third = await startMember(...["enableTestCommands=1", hangs].flatMap((one) => ["--setParameter", one]));
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const keep = ({ address }: typeof first, port: number) =>
    runningScript("mongo.cjs", ["keep", dir, join(certificates, "mongo"), `${port}`], {
      ...{ ...passwords, MONGO_ROOT_PASSWORD: "r", MONGO_SELF: "none", MONGO_MEMBERS: address },
    });
  await using _first = keep(first, ports[0]);
  await using _second = keep(second, ports[1]);
  await using _third = keep(third, ports[2]);
  const statuses = () => Promise.all(ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}`)).status));
  await eventually(async () => expect(await statuses()).toEqual([200, 200, 200]), patience);
  const set = await setOf(first, second, third);
  await set.put(first.address, 1);
  await eventually(async () => expect(await statuses()).toEqual([200, 200, 503]), patience);
  const { members: known } = await withDb(first.address, "admin", (db) => db.command({ replSetGetStatus: 1 }));
  expect(known.map(({ stateStr }: { stateStr: string }) => stateStr)).toEqual(["PRIMARY", "SECONDARY", "STARTUP2"]);
  await second.mongo.pause();
  await eventually(async () => expect((await statuses())[1]).toBe(503), patience);
  second.mongo.resume();
});

const writeKeys = (POD_IP: string, folder: string) => {
  const named = { MONGO_MEMBERS: "first.0.0.1:27017", MONGO_SELF: "127", POD_IP, MONGO_NAME_WITHIN_MS: "500" };
  return imageScript("mongo.cjs", ["key", folder, join(certificates, "mongo")], {
    MONGO_KEY: "k".repeat(64),
    ...named,
  });
};

it("a member starts once its name has its address, and not with the address of another", async () => {
  const folder = mkdtempSync(join(dir, "keys-"));
  await expect(writeKeys("127.0.0.2", folder)).rejects.toMatchObject({
    stdout: "Waiting until 127.0.0.1 has the address 127.0.0.2\n",
    stderr: "127.0.0.1 does not have the address 127.0.0.2\n",
  });
  expect(readdirSync(folder)).toEqual([]);
  await writeKeys("127.0.0.1", folder);
  expect(readdirSync(folder)).toContain("mongo");
});
