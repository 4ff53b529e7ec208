import { type ChildProcess, execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { storedServices } from "@ci/kit/mongo/users";
import { insertDocuments } from "@ci/testkit/contents";
import { freePort } from "@ci/testkit/ports";
import { suite } from "@ci/testkit/suite";
import { deployDir } from "./_compose.js";

const { mongoUrl, mongoDb } = suite();
const dir = mkdtempSync(join(tmpdir(), "ci-restore-"));
const dataDir = join(dir, "data");
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const run = (args: readonly string[], env: NodeJS.ProcessEnv) =>
  new Promise<{ code: ChildProcess["exitCode"]; output: string }>((resolve) => {
    const child = execFile(process.execPath, args, { env: { ...process.env, ...env } }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
const command = (...args: string[]) => [join(deployDir, "local/start/backup.mjs"), ...args];
const restore = (...flags: string[]) =>
  run(command("restore", join(dir, "backup"), ...flags), { MONGO_URL: "", MONGO_DB: mongoDb, CI_DATA: dataDir });

/** Returns the records of a service in the data folder. */
async function restored(service: string): Promise<unknown> {
  const script = `
    const { withMongod } = await import(${JSON.stringify(pathToFileURL(join(deployDir, "local/start/mongo-users.mjs")).href)});
    const [dataDir, port, database] = process.argv.slice(1);
    await withMongod({ dataDir, port: Number(port), logFile: dataDir + ".log" }, async ({ client }) =>
      console.log(JSON.stringify(await client.db(database).collection("records").find().toArray())));`;
  const args = [join(dataDir, "mongod"), String(await freePort()), `${mongoDb}_${service}`];
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, ...args]);
  return JSON.parse(stdout);
}

it("npm run restore fills the data folder of an npm start that does not run", async () => {
  for (const service of storedServices)
    await insertDocuments(mongoUrl, `${mongoDb}_${service}`, "records", [{ _id: 1 }]);
  const saved = await run(command("backup", join(dir, "backup")), { MONGO_URL: mongoUrl, MONGO_DB: mongoDb });
  expect(saved).toMatchObject({ code: 0 });
  const first = await restore();
  expect(first).toEqual({ code: 0, output: expect.stringMatching(/^Restored 4 documents /m) });
  const keys = `Copy settings.json of the backed-up installation to ${dataDir}, or set its SECRET_KEYS`;
  expect(first.output).toContain(keys);
  for (const service of storedServices) expect(await restored(service)).toEqual([{ _id: 1 }]);

  const refused = await restore();
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining(" is not empty: ") });
  expect(refused.output).toContain(
    `${dataDir} has data already: set CI_DATA to a new folder, or restore with --replace.\n`,
  );
  const replaced = await restore("--replace");
  expect(replaced).toMatchObject({ code: 0, output: expect.stringMatching(/^Restored 4 documents /m) });
  for (const service of storedServices) expect(await restored(service)).toEqual([{ _id: 1 }]);
});

it("npm run backup and npm run rotate use the databases of the running npm start", async () => {
  const folder = join(dir, "running");
  mkdirSync(folder);
  writeFileSync(join(folder, "mongo-url"), mongoUrl);
  const SECRET_KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`;
  const env = { MONGO_URL: "", MONGO_DB: "", CI_DATA: folder, SECRET_KEYS };
  const rotate = () => run([join(deployDir, "local/start/rotate.mjs")], env);
  writeFileSync(join(folder, "mongo-db"), `${mongoDb}_other`);
  const unused = `The database ${mongoDb}_other_namespaces has no collections`;
  expect(await run(command("backup", join(dir, "again")), env)).toEqual({
    code: 1,
    output: expect.stringContaining(unused),
  });
  expect(await rotate()).toMatchObject({ code: 1, output: expect.stringContaining(unused) });
  writeFileSync(join(folder, "mongo-db"), mongoDb);
  expect(await run(command("backup", join(dir, "again")), env)).toEqual({
    code: 0,
    output: expect.stringMatching(/^Saved 4 documents /m),
  });
  expect(await rotate()).toMatchObject({ code: 0, output: expect.stringContaining("You can remove all keys") });
});

it("npm run restore leaves the data folder of a running npm start alone", async () => {
  const startTime = readFileSync(`/proc/${process.pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ")[19];
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, "holder.json"), JSON.stringify({ pid: process.pid, startTime }));
  const sentence = `Service CI runs in ${dataDir} already, as process ${process.pid}: set CI_DATA to another folder, or stop it.`;
  expect(await restore()).toEqual({ code: 1, output: `${sentence}\n` });
});

it("npm run backup says that no npm start runs", async () => {
  const folder = join(dir, "nothing");
  const { code, output } = await run(command("backup", join(dir, "none")), { MONGO_URL: "", CI_DATA: folder });
  expect([code, output]).toEqual([
    1,
    expect.stringContaining(`No npm start runs with the data in ${folder}: start it`),
  ]);
});
