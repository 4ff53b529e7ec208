import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { storedServices } from "@ci/kit/mongo/users";
import { insertDocuments } from "@ci/testkit/contents";
import { suite } from "@ci/testkit/suite";
import { deployDir } from "./_compose.js";

const { mongoUrl, mongoDb } = suite();
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ci-durable-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
}

/** Runs Node.js, and returns the calls by which it flushed and renamed files, in their order. */
async function flushesOf(args: readonly string[]): Promise<string[]> {
  const trace = join(dir, "trace.json");
  const tracing = ["--trace-event-categories", "node.fs.sync,node.fs.async", "--trace-event-file-pattern", trace];
  await promisify(execFile)(process.execPath, [...tracing, ...args], { env: { ...process.env, MONGO_URL: mongoUrl } });
  const { traceEvents } = JSON.parse(readFileSync(trace, "utf8")) as { traceEvents: TraceEvent[] };
  const begun = traceEvents.filter(({ ph }) => ph.toLowerCase() === "b").map(({ name }) => name.split(".").at(-1)!);
  return begun.filter((name) => ["fsync", "rename"].includes(name));
}

const settingsScript = (dataDir: string) => [
  ...["--input-type=module", "-e"],
  `const { readOrCreateSettings } = await import(${JSON.stringify(
    pathToFileURL(join(deployDir, "local/start/settings.mjs")).href,
  )});
  readOrCreateSettings(process.argv[1]);`,
  dataDir,
];

it("npm start has its keys on the disk before it uses them", async () => {
  expect(await flushesOf(settingsScript(join(dir, "data")))).toEqual(["fsync", "rename", "fsync"]);
});

it("npm start names a settings.json that it cannot read", async () => {
  const dataDir = join(dir, "data");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "settings.json"), "");
  const read = promisify(execFile)(process.execPath, settingsScript(dataDir));
  await expect(read).rejects.toThrow(`Error: ${join(dataDir, "settings.json")} cannot be read: Unexpected end`);
});

it("a backup is on the disk when its manifest is", async () => {
  const folder = join(dir, "backup");
  for (const service of storedServices)
    await insertDocuments(mongoUrl, `${mongoDb}_${service}`, "records", [{ _id: 1 }]);
  const databases = storedServices.flatMap((service) => ["--database", `${service}=${mongoDb}_${service}`]);
  const flushes = await flushesOf([join(deployDir, "backup/dist/main.js"), "backup", folder, ...databases]);
  const files = storedServices.flatMap((service) => readdirSync(join(folder, service)));
  const before = [...files, ...storedServices, "manifest.json"].map(() => "fsync");
  expect(flushes).toEqual([...before, "rename", "fsync"]);
});
