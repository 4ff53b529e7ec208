import { execFile } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aWord } from "@ci/testkit/builders";
import { made } from "@ci/testkit/constellation";
import { contentsOf, dropDatabase, makeCollection } from "@ci/testkit/contents";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses, thisTree } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";

// Starts two systems, and a command five times.
jest.setTimeout(300_000);

const before = suite();
const after = suite();
const dir = mkdtempSync(join(tmpdir(), "ci-backup-"));
const services = ["namespaces", "images", "builds", "webhooks"];
/** A MongoDB and the prefix of its databases' names. */
type Place = Pick<typeof before, "mongoUrl" | "mongoDb">;
let on: Processes;
afterAll(async () => {
  await on?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

/** Runs the command; returns its output and exit code. */
const run = (what: "backup" | "restore", folder: string, { mongoUrl, mongoDb }: Place) =>
  new Promise<{ code: number; said: string }>((resolve) => {
    const databases = services.flatMap((service) => ["--database", `${service}=${mongoDb}_${service}`]);
    const args = [join(thisTree, "deploy/backup/dist/main.js"), what, folder, ...databases];
    execFile(process.execPath, args, { env: { ...process.env, MONGO_URL: mongoUrl } }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
    );
  });

const raw = (path: string) => on.api.send("GET", path, { headers: { Accept: "application/octet-stream" } });

/** A build with an artifact of 3 MiB of noise. */
async function build(): Promise<{ id: number; number: number; url: string }> {
  const commands = ["head -c 3145728 /dev/urandom > noise"];
  const job = { stage: "s", commands, artifacts: ["noise"] };
  const manifest = JSON.stringify({ driver: { type: "os" }, stages: ["s"], jobs: [job] });
  const { id, number, url } = made(await on.api.post("/builds", { manifest }));
  await eventually(async () => expect((await on.api.get(url)).json.status).toBe("passed"));
  return { id, number, url };
}

const contents = ({ mongoUrl, mongoDb }: Place) => contentsOf(mongoUrl, `${mongoDb}_`);

it("a restore makes another system equal to the one that was backed up", async () => {
  const folder = join(dir, "whole");
  on = await startProcesses(before);
  const user = made(await on.api.post("/users", { username: "ann", email: "ann@example.com" }));
  const { secret } = made(await on.api.post("/users/ann/tokens", { name: "t", scope: "build:read namespace:read" }));
  made(await on.api.post("/variables", { key: "KEY", value: "sealed value" }));
  const old = await build();
  const artifact = await raw(`${old.url}/artifacts/noise`);
  expect([artifact.status, artifact.bytes.length]).toEqual([200, 3_145_728]);

  // The services keep running; the backup equals their data because nothing changes meanwhile.
  expect(await run("backup", folder, before)).toEqual({ code: 0, said: expect.stringContaining(` to ${folder}.`) });
  await on[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
  expect((await run("backup", folder, before)).code).toBe(0);
  const whole = await contents(before);
  expect(await run("restore", folder, after)).toMatchObject({ code: 0, said: expect.stringContaining("Restored ") });
  expect(await contents(after)).toEqual(whole);

  on = await startProcesses(after);
  const again = await raw(`${old.url}/artifacts/noise`);
  expect(again.status).toBe(200);
  expect(again.bytes.equals(artifact.bytes)).toBe(true);
  expect(await on.api.get(old.url)).toMatchObject({ status: 200, json: { id: old.id, status: "passed" } });
  const ann = await on.api.send("GET", "/user", { headers: { Authorization: `Bearer ${secret}` } });
  expect([ann.status, ann.json.username]).toEqual([200, "ann"]);
  const other = made(await on.api.post("/users", { username: aWord(), email: `${aWord()}@example.com` }));
  expect(other.id).toBeGreaterThan(user.id);
  const next = await build();
  expect([next.id > old.id, next.number]).toEqual([true, old.number + 1]);
});

it("a restore refuses databases that are not empty, and broken backups", async () => {
  const folder = join(dir, "whole");
  const { mongoUrl } = after;
  const empty = { ...after, mongoDb: `${after.mongoDb}_empty` };
  const nothing = async () => expect(await contents(empty)).toEqual({});
  expect(await run("restore", folder, after)).toMatchObject({ code: 1, said: expect.stringContaining("is not empty") });
  expect(await run("backup", folder, before)).toMatchObject({ code: 1, said: expect.stringContaining("is not empty") });

  await makeCollection(mongoUrl, `${empty.mongoDb}_webhooks`, "something");
  expect(await run("restore", folder, empty)).toMatchObject({
    code: 1,
    said: expect.stringContaining("_webhooks is not"),
  });
  await dropDatabase(mongoUrl, `${empty.mongoDb}_webhooks`);
  await nothing();

  appendFileSync(join(folder, "builds/builds.bson.gz"), "x");
  expect(await run("restore", folder, empty)).toMatchObject({ code: 1, said: expect.stringContaining("checksum") });
  rmSync(join(folder, "manifest.json"));
  expect(await run("restore", folder, empty)).toMatchObject({ code: 1, said: expect.stringContaining("not a backup") });
  await nothing();
  expect(existsSync(join(folder, "builds/artifacts.chunks.bson.gz"))).toBe(true);
});
