import { execFile } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import { contentsOf, dropDatabase, insertDocuments, makeCollection } from "@ci/testkit/contents";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses, thisTree } from "@ci/testkit/processes";
import { startStores } from "@ci/testkit/stores";
import { suite } from "@ci/testkit/suite";

const before = suite();
const after = suite();
const dir = mkdtempSync(join(tmpdir(), "ci-backup-"));
const services = ["namespaces", "images", "builds", "webhooks"];
/** A MongoDB and the prefix of the databases' names. */
type Database = Pick<typeof before, "mongoUrl" | "mongoDb">;
let ci: Processes;
afterAll(async () => {
  await ci?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

type Arguments = [command: "backup" | "restore", folder: string, database: Database, ...flags: string[]];
type Result = { code: number; output: string };

/** Runs the command with Node's options and returns its output and exit code. */
const runWith = (options: string[], [command, folder, { mongoUrl, mongoDb }, ...flags]: Arguments) =>
  new Promise<Result>((resolve) => {
    const databases = services.flatMap((service) => ["--database", `${service}=${mongoDb}_${service}`]);
    const args = [...options, join(thisTree, "deploy/backup/dist/main.js"), command, folder, ...flags, ...databases];
    execFile(process.execPath, args, { env: { ...process.env, MONGO_URL: mongoUrl } }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
const run = (...args: Arguments) => runWith([], args);

const download = (path: string) => ci.api.send("GET", path, { headers: { Accept: "application/octet-stream" } });

/** Runs a build with an artifact of 3 MiB of random bytes. */
async function runBuild(): Promise<{ id: number; number: number; url: string }> {
  const commands = ["head -c 3145728 /dev/urandom > noise"];
  const job = { stage: "s", commands, artifacts: ["noise"] };
  const manifest = JSON.stringify({ driver: { type: "os" }, stages: ["s"], jobs: [job] });
  const { id, number, url } = created(await ci.api.post("/builds", { manifest }));
  await eventually(async () => expect((await ci.api.get(url)).json.status).toBe("passed"));
  return { id, number, url };
}

const insert = ({ mongoUrl, mongoDb }: Database, service: string, documents: { _id: number }[]) =>
  insertDocuments(mongoUrl, `${mongoDb}_${service}`, "records", documents);

const contentsIn = ({ mongoUrl, mongoDb }: Database) => contentsOf(mongoUrl, `${mongoDb}_`);

it("restore makes another installation equal to the one that was backed up", async () => {
  const folder = join(dir, "whole");
  ci = await startProcesses(before);
  const user = created(await ci.api.post("/users", { username: "ann", email: "ann@example.com" }));
  const { secret } = created(await ci.api.post("/users/ann/tokens", { name: "t", scope: "build:read namespace:read" }));
  created(await ci.api.post("/variables", { key: "KEY", value: "sealed value" }));
  const firstBuild = await runBuild();
  const artifact = await download(`${firstBuild.url}/artifacts/noise`);
  expect([artifact.status, artifact.bytes.length]).toEqual([200, 3_145_728]);

  // The services keep running. The backup equals their data because nothing changes meanwhile.
  const saved = expect.stringMatching(/ to .+\. MongoDB is not a replica set/);
  expect(await run("backup", folder, before)).toEqual({ code: 0, output: saved });
  await ci[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
  expect((await run("backup", folder, before)).code).toBe(0);
  const backedUp = await contentsIn(before);
  expect(await run("restore", folder, after)).toMatchObject({ code: 0, output: expect.stringContaining("Restored ") });
  expect(await contentsIn(after)).toEqual(backedUp);

  ci = await startProcesses(after);
  const restored = await download(`${firstBuild.url}/artifacts/noise`);
  expect(restored.status).toBe(200);
  expect(restored.bytes.equals(artifact.bytes)).toBe(true);
  expect(await ci.api.get(firstBuild.url)).toMatchObject({
    status: 200,
    json: { id: firstBuild.id, status: "passed" },
  });
  const ann = await ci.api.send("GET", "/user", { headers: { Authorization: `Bearer ${secret}` } });
  expect([ann.status, ann.json.username]).toEqual([200, "ann"]);
  const laterUser = created(await ci.api.post("/users", { username: aWord(), email: `${aWord()}@example.com` }));
  expect(laterUser.id).toBeGreaterThan(user.id);
  const nextBuild = await runBuild();
  expect([nextBuild.id > firstBuild.id, nextBuild.number]).toEqual([true, firstBuild.number + 1]);
});

it("backup saves one moment of a replica set, whatever read concern its URL names", async () => {
  await using stores = await startStores("replica set");
  const source = { mongoUrl: `${stores.mongoUrl}&readConcernLevel=local`, mongoDb: "one" };
  const records = Array.from({ length: 20_000 }, (_, _id) => ({ _id, noise: randomBytes(500) }));
  await insert(source, "namespaces", records);
  for (const service of ["images", "builds", "webhooks"]) await insert(source, service, [{ _id: 1 }]);
  // Every service has this collection. A read of a missing one begins no snapshot.
  await makeCollection(source.mongoUrl, `${source.mongoDb}_namespaces`, "migrations");
  const folder = join(dir, "moment");
  const running = run("backup", folder, source);
  await eventually(() => expect(existsSync(join(folder, "namespaces"))).toBe(true));
  await insert(source, "webhooks", [{ _id: 2 }]);
  expect(await running).toEqual({ code: 0, output: expect.stringMatching(/^Saved 20003 documents .+ to [^ ]+\.\n$/) });
});

/** Returns Node's options for a process that is killed at one of its calls that rename, delete or write: halfway, if it deletes. */
function killedAt(call: number): string[] {
  const path = join(dir, `killed-at-${call}.cjs`);
  const half = 'if (name === "rm") rmSync(args[0] + "/" + readdirSync(args[0])[0], { recursive: true, force: true });';
  const kill = `if (++calls === ${call}) { ${half} process.kill(process.pid, "SIGKILL"); }`;
  const wrap = `fs[name] = async (...args) => { ${kill} return real(...args); };`;
  const each = `for (const name of ["rename", "rm", "writeFile"]) { const real = fs[name]; ${wrap} }`;
  const names = 'const { rmSync, readdirSync, promises: fs } = require("node:fs"); let calls = 0;';
  writeFileSync(path, `${names} ${each}`);
  return ["--require", path];
}

/** Reports whether a folder has every file of its manifest. */
function isWhole(folder: string): boolean {
  if (!existsSync(join(folder, "manifest.json"))) return false;
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  const saved = Object.entries<{ name: string; sha256: string }[]>(manifest.services);
  const files = saved.flatMap(([service, all]) =>
    all.map(({ name, sha256 }) => ({ path: join(folder, service, `${name}.bson.gz`), sha256 })),
  );
  return files.every(({ path, sha256 }) => existsSync(path) && hash("sha256", readFileSync(path)) === sha256);
}

it("backup --keep deletes old backups only when a new one is complete, and leaves no part of one under its name", async () => {
  const folder = join(dir, "kept");
  const source = { ...after, mongoDb: `${after.mongoDb}_kept` };
  for (const service of services) await insert(source, service, [{ _id: 1 }]);
  const [others, old] = [["lost+found", "2020-01-01", "2020-01-01T00-00-09Z"], "2020-01-01T00-00-0"];
  for (const name of others) mkdirSync(join(folder, name), { recursive: true });
  const kept = () => readdirSync(folder).filter((name) => name.endsWith("Z") && !others.includes(name));
  const keep = (options: string[]) => runWith(options, ["backup", folder, source, "--keep", "2"]);
  expect((await keep([])).output).toContain(` to ${folder}/`);
  cpSync(join(folder, kept()[0]!), join(dir, "one"), { recursive: true });
  const refill = () => {
    for (let n = 1; n <= 3; n++) cpSync(join(dir, "one"), join(folder, `${old}${n}Z`), { recursive: true });
  };
  let calls = 0;
  for (let result = { output: "" }; !result.output.startsWith("Saved "); calls++) {
    refill();
    result = await keep(killedAt(calls + 1));
    for (const name of kept()) expect([calls, name, isWhole(join(folder, name))]).toEqual([calls, name, true]);
    expect(kept().length).toBeGreaterThanOrEqual(2);
  }
  expect(calls).toBeGreaterThan(6);
  expect(kept()).toHaveLength(2);
  expect(readdirSync(folder).sort()).toEqual([...others, ...kept()].sort());
  for (const bad of ["0", "-1", "many"])
    expect((await run("backup", folder, source, `--keep=${bad}`)).output).toContain("Usage: ");
});

it("backup --keep says that another one has deleted what it was writing", async () => {
  const source = { ...after, mongoDb: `${after.mongoDb}_deleted` };
  for (const service of services) await insert(source, service, [{ _id: 1 }]);
  const [path, folder] = [join(dir, "another.cjs"), join(dir, "shared")];
  const names = 'const { rmSync, promises: fs } = require("node:fs"); const { dirname } = require("node:path");';
  const remove = "rmSync(dirname(args[0]), { recursive: true, force: true });";
  writeFileSync(
    path,
    `${names} const { writeFile } = fs; fs.writeFile = async (...args) => { ${remove} return writeFile(...args); };`,
  );
  const { code, output } = await runWith(["--require", path], ["backup", folder, source, "--keep", "2"]);
  expect([code, output]).toEqual([
    1,
    `Another backup in ${folder} has begun and deleted this one: make one at a time\n`,
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

it("backup --keep refuses to run beside one that began in the same second, and does not mind who removes a leftover", async () => {
  const source = { ...after, mongoDb: `${after.mongoDb}_moment` };
  for (const service of services) await insert(source, service, [{ _id: 1 }]);
  const [path, folder] = [join(dir, "second.cjs"), join(dir, "second")];
  const noon = "global.Date = class extends Date { constructor(at = Date.UTC(2026, 0, 1, 12)) { super(at); } };";
  const rename =
    'rename(from, to) { if (to.endsWith(".old")) rmSync(from, { recursive: true }); return old(from, to); }';
  writeFileSync(
    path,
    `${noon} const { rmSync, promises } = require("node:fs"); const { rename: old } = promises; promises.rename = function ${rename}`,
  );
  const keep = () => runWith(["--require", path], ["backup", folder, source, "--keep", "2"]);
  const other = join(folder, "2026-01-01T12-00-00Z.part");
  mkdirSync(other, { recursive: true });
  const refusal = `Another backup in ${folder} began at the same moment: make one at a time\n`;
  expect(await keep()).toEqual({ code: 1, output: refusal });
  expect(existsSync(other)).toBe(true);
  renameSync(other, join(folder, "2026-01-01T11-00-00Z.part"));
  expect((await keep()).output).toMatch(/^Saved /);
  expect(await keep()).toEqual({ code: 1, output: refusal });
  expect(readdirSync(folder)).toEqual(["2026-01-01T12-00-00Z"]);
});

it("backup rejects databases that no service uses, and restore a backup of such databases", async () => {
  const unused = { ...before, mongoDb: `${before.mongoDb}-unused` };
  for (const service of ["namespaces", "images", "webhooks"]) await insert(unused, service, [{ _id: 1 }]);
  const folder = join(dir, "unused");
  expect(await run("backup", folder, unused)).toEqual({
    code: 1,
    output: expect.stringMatching(/^The database \S+-unused_builds has no collections, so no service uses it: check /),
  });
  expect(existsSync(join(folder, "manifest.json"))).toBe(false);
  const manifest = { format: 1, at: new Date().toISOString(), services: { builds: [] } };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
  expect(await run("restore", folder, unused)).toEqual({
    code: 1,
    output: expect.stringContaining("The backup has no collections of builds"),
  });
});

it("restore --replace deletes what services wrote, but nothing if the backup is damaged", async () => {
  const folder = join(dir, "whole");
  const target = { ...after, mongoDb: `${after.mongoDb}_replaced` };
  await insert(target, "builds", [{ _id: 1 }]);
  await makeCollection(target.mongoUrl, `${target.mongoDb}_builds`, "later");
  const written = await contentsIn(target);
  expect(await run("backup", join(dir, "never"), target, "--replace")).toMatchObject({
    code: 1,
    output: expect.stringContaining("Usage: "),
  });

  const damaged = join(folder, "webhooks/webhooks.bson.gz");
  const whole = readFileSync(damaged);
  appendFileSync(damaged, "x");
  const refused = await run("restore", folder, target, "--replace");
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("checksum") });
  expect(await contentsIn(target)).toEqual(written);

  writeFileSync(damaged, whole);
  const replaced = await run("restore", folder, target, "--replace");
  expect(replaced).toMatchObject({ code: 0, output: expect.stringContaining("Restored ") });
  const again = await run("restore", folder, target, "--replace");
  expect(again).toMatchObject({ code: 0 });
  expect(await contentsIn(target)).toEqual(await contentsIn(before));
});

it("restore rejects filled databases and broken backups, and backup rejects a filled folder", async () => {
  const folder = join(dir, "whole");
  const { mongoUrl } = after;
  const empty = { ...after, mongoDb: `${after.mongoDb}_empty` };
  const expectEmpty = async () => expect(await contentsIn(empty)).toEqual({});
  expect(await run("restore", folder, after)).toMatchObject({
    code: 1,
    output: expect.stringContaining("is not empty"),
  });
  expect(await run("backup", folder, before)).toMatchObject({
    code: 1,
    output: expect.stringContaining("is not empty"),
  });

  await makeCollection(mongoUrl, `${empty.mongoDb}_webhooks`, "something");
  expect(await run("restore", folder, empty)).toMatchObject({
    code: 1,
    output: expect.stringContaining("_webhooks is not"),
  });
  await dropDatabase(mongoUrl, `${empty.mongoDb}_webhooks`);
  await expectEmpty();

  appendFileSync(join(folder, "builds/builds.bson.gz"), "x");
  expect(await run("restore", folder, empty)).toMatchObject({ code: 1, output: expect.stringContaining("checksum") });
  rmSync(join(folder, "manifest.json"));
  expect(await run("restore", folder, empty)).toMatchObject({
    code: 1,
    output: expect.stringContaining("not a backup"),
  });
  await expectEmpty();
  expect(existsSync(join(folder, "builds/artifacts.chunks.bson.gz"))).toBe(true);
});
