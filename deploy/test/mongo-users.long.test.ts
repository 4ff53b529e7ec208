import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { storedServices } from "@ci/kit/mongo/users";
import { mongoUser } from "@ci/testkit/mongo-rights";
import { notRun } from "@ci/testkit/not-run";
import { startMongoWith } from "@ci/testkit/stores";
import { installedCertificates } from "./_certificates.js";
import { helmOptions, render, tool } from "./_chart.js";
import { deployDir } from "./_compose.js";
import {
  chartEnvironment,
  composeEnvironment,
  composeSecrets,
  mongodOptions,
  type Variables,
} from "./_environments.js";
import { imageScript } from "./_scripts.js";
import { services, settingsOf } from "./_settings.js";

// Starts mongod several times, and passwords are expensive to check on a busy machine.

const dir = mkdtempSync(join(tmpdir(), "ci-mongo-users-"));
let certificates: string;
beforeAll(async () => {
  certificates = await installedCertificates();
});
afterAll(() => {
  for (const folder of [dir, certificates]) rmSync(folder, { recursive: true, force: true });
});
/** Trusts the certificate of MongoDB. */
const tlsOptions = () => `tls=true&tlsCAFile=${certificates}/ca/ca.crt`;

/** A running MongoDB with its users. `ci` has the operator's URL. */
interface Running extends AsyncDisposable {
  readonly urlOf: (owner: string) => string;
}

const databaseOf = (service: string) => `ci_${service}`;
const withoutUser = (url: string) => url.replace(/\/\/[^@]*@/, "//");

const fileOf = (name: string) => JSON.stringify(pathToFileURL(join(deployDir, "local", name)).href);

/** Returns the first line with an object. The script may have to download a program first, and says so. */
async function firstJson(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) if (line.startsWith("{")) return line;
  throw new Error("The script printed no URLs");
}

/** Runs a script that prints the URLs of its MongoDB by owner, and stops it when its input ends. */
async function running(script: string, ...args: string[]): Promise<Running> {
  const env = { ...process.env, MONGO_URL: "", MONGO_DB: "" };
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, ...args], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const died = ended.then(() => Promise.reject(new Error("The script ended")));
  const urls = JSON.parse(await Promise.race([firstJson(child.stdout), died]));
  died.catch(() => undefined);
  return {
    urlOf: (owner) => urls[owner],
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}

/** Runs the code of `npm start` that starts MongoDB, on this data folder. */
const npmStart = (dataDir: string) =>
  running(
    `
    import { mongoOf } from ${fileOf("start/servers.mjs")};
    import { readOrCreateSettings } from ${fileOf("start/settings.mjs")};
    import { supervise } from ${fileOf("start/supervisor.mjs")};
    const [dataDir, ...owners] = process.argv.slice(1);
    const { parts, urlOf, prepare } = await mongoOf({ dataDir, ...readOrCreateSettings(dataDir) });
    await prepare();
    const { stop } = await supervise(parts, { logDir: dataDir + "/logs", restart: false });
    console.log(JSON.stringify(Object.fromEntries(owners.map((owner) => [owner, urlOf(owner)]))));
    process.stdin.resume().once("end", async () => { await stop(); process.exit(0); });`,
    ...[dataDir, "ci", ...services],
  );

/** Runs MongoDB as the `npm start` of an earlier version did, which had no users. */
const earlierStart = (dataDir: string) =>
  running(
    `
    import { startMongod } from ${fileOf("provision/binaries.mjs")};
    import { freePort } from ${fileOf("provision/machine.mjs")};
    const [dataDir] = process.argv.slice(1);
    const { url, stop } = await startMongod({ dataDir: dataDir + "/mongod", logFile: dataDir + "/log", port: await freePort() });
    console.log(JSON.stringify({ ci: url }));
    process.stdin.resume().once("end", async () => { await stop(); process.exit(0); });`,
    dataDir,
  );

const mongoScript = (args: string[], env: Variables) => imageScript("mongo.cjs", args, env);

/** Runs a MongoDB in which only clients with a password may do something. */
async function member(options = mongodOptions()): Promise<Awaited<ReturnType<typeof startMongoWith>>> {
  const keys = mkdtempSync(join(dir, "keys-"));
  await mongoScript(["key", keys, join(certificates, "mongo")], { MONGO_KEY: "k".repeat(64) });
  return startMongoWith(...options.map((option) => option.replace("/keys", keys)));
}

/** Runs a MongoDB whose users deploy/image/mongo.cjs creates from these variables. */
async function inContainer(
  options: string[],
  variables: Variables,
  urlInContainer: (owner: string) => string,
): Promise<Running> {
  const mongo = await member(options);
  await mongoScript(["once"], { ...variables, MONGO_MEMBERS: mongo.address, MONGO_MEMBERS_FILE: "", MONGO_SELF: "" });
  return {
    urlOf: (owner) =>
      urlInContainer(owner)
        .replace(/@[^/]+\//, `@${mongo.address}/`)
        .replace("/tls/ca.crt", `${certificates}/ca/ca.crt`),
    [Symbol.asyncDispose]: () => mongo[Symbol.asyncDispose](),
  };
}

const deployments: Record<string, () => Promise<Running>> = {
  "npm start": () => npmStart(join(dir, "data")),
  Compose: () => {
    const file = join(dir, "env");
    // An earlier version had one user.
    writeFileSync(file, "MONGO_ROOT_PASSWORD=mroot\nMONGO_PASSWORD=mold\n");
    const secrets = composeSecrets(file);
    const urlOf = (owner: string) => composeEnvironment(secrets, owner === "ci" ? "backup" : owner).MONGO_URL!;
    expect(urlOf("ci")).toContain("//ci:mold@");
    return inContainer(mongodOptions(), composeEnvironment(secrets, "mongo-set"), urlOf);
  },
};

const helm = tool("helm");
if ("reason" in helm) notRun("users of MongoDB in the chart", helm.reason);
else
  deployments["the chart"] = () => {
    const all = render(helm, helmOptions("minimal"));
    const secret = all.find(({ kind, metadata }) => kind === "Secret" && metadata.name.endsWith("-secrets"));
    const urlOf = (owner: string) =>
      owner === "ci" ? secret.stringData.MONGO_URL : chartEnvironment(all, owner).MONGO_URL;
    return inContainer(mongodOptions(all), chartEnvironment(all, "mongodb", "set"), urlOf);
  };

it("the services with a database are those that have a MONGO_URL", () => {
  expect([...storedServices].sort()).toEqual(services.filter((name) => settingsOf(name).has("MONGO_URL")).sort());
});

const others = (service: string) => [...storedServices, "other"].filter((other) => other !== service).map(databaseOf);
const pairs = storedServices.flatMap((service) =>
  [...others(service), "admin", "config", "local"].map((database) => [service, database] as const),
);

describe.each(Object.keys(deployments))("with %s", (name) => {
  let mongo: Running;
  const operator = () => mongoUser(mongo.urlOf("ci"));
  beforeAll(async () => {
    mongo = await deployments[name]!();
    for (const owner of [...storedServices, "other"]) await operator().put(databaseOf(owner), { owner });
  });
  afterAll(() => mongo?.[Symbol.asyncDispose]());

  it.each(pairs)("%s may do nothing with the database %s", async (service, database) => {
    expect(await mongoUser(mongo.urlOf(service)).mayDoWith(database, databaseOf(service))).toEqual([]);
  });

  it.each(storedServices)("%s sees and uses only its own database", async (service) => {
    const user = mongoUser(mongo.urlOf(service));
    await user.useAsService(databaseOf(service));
    expect(await user.recordsIn(databaseOf(service))).toEqual([{ owner: service }]);
    expect(await user.databases()).toEqual([databaseOf(service)]);
    expect(await user.mayAdministrate()).toEqual([]);
  });

  it("a client without a password, or with a wrong one, may do nothing", async () => {
    const stranger = mongoUser(withoutUser(mongo.urlOf("ci")));
    for (const database of [...others(""), "admin"])
      expect([database, await stranger.mayDoWith(database, databaseOf("other"))]).toEqual([database, []]);
    expect(await stranger.mayAdministrate()).toEqual([]);
    const liar = mongoUser(mongo.urlOf("builds").replace(/:[^:@]*@/, ":wrong@"));
    await expect(liar.databases()).rejects.toThrow("Authentication failed");
  });

  it("the operator reads and writes every database, but makes no users", async () => {
    for (const owner of [...storedServices, "other"])
      expect(await operator().recordsIn(databaseOf(owner))).toEqual([{ owner }]);
    expect(await operator().mayAdministrate()).toEqual([]);
  });

  it("the operator backs up, restores and replaces, and a service's user cannot", async () => {
    const folder = mkdtempSync(join(dir, "backup-"));
    const run = (owner: string, ...args: string[]) =>
      promisify(execFile)(process.execPath, [join(deployDir, "backup/dist/main.js"), ...args], {
        env: { ...process.env, MONGO_URL: mongo.urlOf(owner) },
      });
    await expect(run("builds", "backup", join(folder, "of-builds"))).rejects.toThrow("not authorized");
    await run("ci", "backup", join(folder, "all"));
    const elsewhere = storedServices.flatMap((service) => ["--database", `${service}=restored_${service}`]);
    await run("ci", "restore", join(folder, "all"), ...elsewhere);
    const expectRestored = async () => {
      for (const owner of storedServices)
        expect(await operator().recordsIn(`restored_${owner}`)).toEqual(await operator().recordsIn(databaseOf(owner)));
    };
    await expectRestored();
    for (const owner of storedServices) await operator().put(`restored_${owner}`, { owner: "nobody" });
    await run("ci", "restore", join(folder, "all"), "--replace", ...elsewhere);
    await expectRestored();
  });
});

it("npm start adds users to the data of a version without them, and keeps or replaces their passwords", async () => {
  const dataDir = mkdtempSync(join(dir, "earlier-"));
  {
    await using before = await earlierStart(dataDir);
    await mongoUser(before.urlOf("ci")).put("ci_builds", { of: "an earlier version" });
  }
  const urls: string[] = [];
  const settings = join(dataDir, "settings.json");
  for (const change of ["none", "none", "passwords"]) {
    if (change === "passwords") {
      const { mongoPasswords, ...rest } = JSON.parse(readFileSync(settings, "utf8"));
      writeFileSync(settings, JSON.stringify(rest));
    }
    await using mongo = await npmStart(dataDir);
    const builds = mongoUser(mongo.urlOf("builds"));
    expect(await builds.recordsIn("ci_builds")).toEqual([{ of: "an earlier version" }]);
    expect(await builds.mayDoWith("ci_images", "ci_builds")).toEqual([]);
    expect(await mongoUser(withoutUser(mongo.urlOf("builds"))).mayDoWith("ci_builds", "ci_images")).toEqual([]);
    urls.push(new URL(mongo.urlOf("builds")).password);
  }
  expect(urls[0]).toHaveLength(64);
  expect([urls[1] === urls[0], urls[2] === urls[0]]).toEqual([true, false]);
  expect(statSync(settings).mode & 0o777).toBe(0o600);
});

it("another MONGO_USER adds users beside those in use, which can then be dropped", async () => {
  await using mongo = await member();
  const as = (user: string) => {
    const passwords = Object.fromEntries(
      ["", ...storedServices.map((name) => `_${name}`)].map((name) => [`MONGO_PASSWORD${name.toUpperCase()}`, user]),
    );
    const builds = mongoUser(`mongodb://${user}_builds:${user}@${mongo.address}/?replicaSet=rs0&${tlsOptions()}`);
    return { env: { ...passwords, MONGO_USER: user, MONGO_ROOT_PASSWORD: "r", MONGO_MEMBERS: mongo.address }, builds };
  };
  const [first, second] = [as("ci"), as("next")];
  for (const { env } of [first, second, second]) await mongoScript(["once"], env);
  for (const { builds } of [first, second]) {
    await builds.put("ci_builds", {});
    expect(await builds.mayDoWith("ci_images", "ci_builds")).toEqual([]);
  }
  for (const _ of ["once", "again"]) await mongoScript(["drop", "ci"], second.env);
  await expect(first.builds.databases()).rejects.toThrow("Authentication failed");
  expect(await second.builds.recordsIn("ci_builds")).toHaveLength(2);
});
