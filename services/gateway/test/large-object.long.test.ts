import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { openMongo } from "@ci/kit/mongo/mongo";
import type { ApiResponse } from "@ci/testkit/api";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";
import { growthDuring } from "./_growth.js";

const names = suite();
const image = process.env.CI_TEST_IMAGE;
const drivers = image ? ["os", "docker"] : ["os"];
const MiB = 1024 * 1024;
let ci: Processes;

beforeAll(async () => {
  ci = await startProcesses(names, {
    ...{ OBJECT_LIMIT: "2GiB", RUNNER_DRIVERS: drivers.join(), JOB_EGRESS: "open" },
  });
});
afterAll(async () => {
  // A killed runner would leave its networks behind, and an engine has addresses for only about thirty.
  await ci?.stop("runner");
  await ci?.[Symbol.asyncDispose]();
});

/** Yields content of distinct MiB. Each begins with its position. */
function* content(sizeBytes: number, from = 0): Generator<Buffer> {
  for (let at = from; at < sizeBytes; at += MiB - (at % MiB)) {
    const block = Buffer.alloc(MiB, "x");
    block.writeDoubleLE(at - (at % MiB));
    yield block.subarray(at % MiB, Math.min(MiB, sizeBytes - (at - (at % MiB))));
  }
}

/** Reads a whole response and returns its hash. */
async function hashed(response: IncomingMessage): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of response) hash.update(piece);
  return hash.digest("hex");
}

/** Uploads an object of this size and returns its record. */
async function upload(name: string, sizeBytes: number): Promise<ApiResponse> {
  const hash = createHash("sha256");
  function* blocks() {
    for (const block of content(sizeBytes)) {
      hash.update(block);
      yield block;
    }
  }
  const created = await ci.api.send("POST", `/objects?name=${name}`, { body: Readable.from(blocks()) });
  expect(created).toMatchObject({ status: 201, json: { size: sizeBytes, sha256: hash.digest("hex") } });
  return created;
}

const download = ({ json }: ApiResponse, headers = {}) =>
  ci.api.open("GET", json.url, { headers: { accept: json.type, ...headers } });

/** Runs a build that prints the object's hash, and returns its output. */
async function hashInBuild(type: string, name: string): Promise<string> {
  const driver = type === "docker" ? { type, image, workspace: "/work" } : { type };
  const jobs = [{ stage: "s", name: "hash", commands: ["sha256sum < in/it", "rm in/it"] }];
  const manifest = JSON.stringify({ driver, stages: ["s"], objects: [`${name} => in/it`], jobs });
  const { json: build } = await ci.api.post("/builds", { manifest });
  return eventually(
    async () => {
      const { json } = await ci.api.get(build.url);
      if (json.finished_at === null) throw new Error(`The build is ${json.status}: ${json.output}`);
      return json.output;
    },
    { withinMs: 600_000, everyMs: 200 },
  );
}

/** Uploads an object of this size, reads all of it and a part, and deletes it. */
async function sendAndRead(name: string, sizeBytes: number): Promise<void> {
  const created = await upload(name, sizeBytes);
  expect(await hashed(await download(created))).toBe(created.json.sha256);
  const from = sizeBytes - MiB - 10;
  const part = await download(created, { range: `bytes=${from}-` });
  expect([part.statusCode, part.headers["content-range"]]).toEqual([
    206,
    `bytes ${from}-${sizeBytes - 1}/${sizeBytes}`,
  ]);
  const expected = createHash("sha256");
  for (const block of content(sizeBytes, from)) expected.update(block);
  expect(await hashed(part)).toBe(expected.digest("hex"));
  expect((await ci.api.delete(created.json.url)).status).toBe(204);
}

/** Places an object of this size into builds. */
async function placeIntoBuilds(name: string, sizeBytes: number): Promise<void> {
  const { json: object } = await upload(name, sizeBytes);
  for (const type of drivers) expect(await hashInBuild(type, name)).toContain(object.sha256);
  expect((await ci.api.delete(object.url)).status).toBe(204);
}

// The first run loads and compiles code, and V8 gives more room to new objects, which the tests must not measure.
beforeAll(async () => {
  await sendAndRead("small", 64 * MiB);
  await placeIntoBuilds("small", 64 * MiB);
});

it("a 2 GiB object is uploaded and downloaded, and no process grows by more than 128 MiB", async () => {
  const growth = await growthDuring(ci, () => sendAndRead("large", 2048 * MiB));
  expect(growth.filter(([, mib]) => mib > 128)).toEqual([]);
  await using mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_namespaces`);
  await eventually(async () => expect(await mongo.db.collection("objects.chunks").estimatedDocumentCount()).toBe(0));
}, 1_200_000);

it("a 256 MiB object is placed into builds, and no process grows by more than 128 MiB", async () => {
  const growth = await growthDuring(ci, () => placeIntoBuilds("placed", 256 * MiB));
  expect(growth.filter(([, mib]) => mib > 128)).toEqual([]);
}, 1_200_000);
