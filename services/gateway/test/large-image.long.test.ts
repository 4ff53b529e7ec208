import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { openMongo } from "@ci/kit/mongo/mongo";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";
import { aServer, type } from "../../images/test/_server.js";
import { growthDuring } from "./_growth.js";
import { imageBytes, largeDisk } from "./_large-disk.js";

const MiB = 1024 ** 2;
const small = 64 * MiB;
const large = 1024 * MiB;
const past2GiB = 2050 * MiB;
const patience = { withinMs: 600_000, everyMs: 200 };
const disks = process.env.CI_TEST_DISKS;
const names = suite();
const dir = mkdtempSync(join(tmpdir(), "ci-large-image-"));
const sha256 = new Map<number, string>();
let content = Buffer.alloc(0);
let ci: Processes;

jest.setTimeout(1_200_000);

beforeAll(async () => {
  if (disks) {
    execFileSync("qemu-img", ["convert", "-O", "raw", join(disks, "keyed.qcow2"), join(dir, "raw")]);
    content = readFileSync(join(dir, "raw"));
  }
  ci = await startProcesses(names, {
    ...{ RUNNER_DIR: join(dir, "runs"), RUNNER_IMAGES_DIR: join(dir, "images"), RUNNER_NAME: "large" },
    ...{ DRIVERS: "qemu,os", RUNNER_DRIVERS: disks ? "qemu" : "os", QEMU_ACCEL: "tcg", QEMU_MEMORY: "256MiB" },
    PREPARE_TIMEOUT: "20min",
  });
  // The first run loads and compiles code, which the tests must not measure.
  await upload("small", small);
  await download("fetched", small);
  if (disks) await boot("fetched", small);
});
afterAll(async () => {
  await ci?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

/** Returns the image of a disk as a stream, and its hash once that has been read. */
function streamed(diskBytes: number) {
  const hash = createHash("sha256");
  function* blocks() {
    for (const block of largeDisk(diskBytes, content)) {
      hash.update(block);
      yield block;
    }
    sha256.set(diskBytes, hash.digest("hex"));
  }
  return Readable.from(blocks());
}

async function upload(name: string, diskBytes: number): Promise<void> {
  // The type that curl's --data-binary sends.
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const created = await ci.api.send("POST", `/images?name=${name}`, { body: streamed(diskBytes), headers });
  expect([created.status, created.json]).toEqual([201, expect.objectContaining({ name, download: null })]);
  await expectStored(created.json.id, diskBytes);
}

async function expectStored(id: number, diskBytes: number): Promise<void> {
  await using mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_images`);
  const stored = await mongo.db.collection<{ _id: number }>("images").findOne({ _id: id });
  expect(stored).toMatchObject({ size: imageBytes(diskBytes), sha256: sha256.get(diskBytes) });
}

/** Downloads an image from a local server. */
async function download(name: string, diskBytes: number): Promise<void> {
  const total = imageBytes(diskBytes);
  await using server = await aServer((_, response) => {
    response.writeHead(200, { ...type, "Content-Length": total });
    pipeline(streamed(diskBytes), response).catch(() => undefined);
  });
  const { json: created } = await ci.api.post("/images", { name, download_url: server.url });
  const { json: image } = await eventually(async () => {
    const response = await ci.api.get(created.url);
    if (response.json.download.finished_at === null)
      throw new Error(`${response.json.download.received} bytes have come`);
    return response;
  }, patience);
  expect(image.download).toMatchObject({ error: null, received: total, total });
  await expectStored(image.id, diskBytes);
}

/** Runs a build in a virtual machine, for which the runner fetches the image. */
async function boot(image: string, diskBytes: number): Promise<void> {
  const jobs = [{ stage: "s", name: "look", commands: ["cat /sys/block/vda/size"] }];
  const manifest = JSON.stringify({ driver: { type: "qemu", image }, stages: ["s"], jobs });
  const { json: created } = await ci.api.post("/builds", { manifest });
  const { json: build } = await eventually(async () => {
    const response = await ci.api.get(created.url);
    if (response.json.finished_at === null)
      throw new Error(`The build is ${response.json.status}: ${response.json.output}`);
    return response;
  }, patience);
  expect([build.output, build.status]).toEqual([expect.stringContaining(`sha256:${sha256.get(diskBytes)}`), "passed"]);
  expect(build.output).toContain(`\n${diskBytes / 512}\n`);
}

const grownTooMuch = async (work: () => Promise<unknown>) =>
  (await growthDuring(ci, work)).filter(([, mib]) => mib > 128);

it("an image of more than 2 GiB is uploaded, and no process grows by more than 128 MiB", async () => {
  expect(await grownTooMuch(() => upload("large", past2GiB))).toEqual([]);
});

it("a 1 GiB image is downloaded, and no process grows by more than 128 MiB", async () => {
  expect(await grownTooMuch(() => download("again", large))).toEqual([]);
});

if (!disks) notRun("a machine from an image of 1 GiB", "CI_TEST_DISKS names no folder of disks");
else
  it("a machine boots from that image, and no process grows by more than 128 MiB", async () => {
    expect(await grownTooMuch(() => boot("again", large))).toEqual([]);
  });
