import { createHash } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { aBuild } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { sharedFolder } from "@ci/testkit/shared-folder";

const ci = constellation({ runner: true });
const time = expect.stringMatching(/Z$/);
let ann: SignedUp;
let dir: string;
beforeAll(async () => {
  ann = await ci.signUp();
  dir = sharedFolder("ci-gateway-");
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const job = (commands: string[], artifacts: string[] = []) => ({ jobs: [{ stage: "test", commands, artifacts }] });

/** Submits a build and waits for its end. */
async function run(fields: Record<string, unknown>) {
  const { url } = created(await ann.post("/builds", aBuild(fields)));
  return eventually(async () => {
    const { json } = await ann.get(url);
    expect(json.finished_at).not.toBeNull();
    return json;
  });
}

/** A server-sent event. */
interface ServerEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

/** Reads a stream of events until it ends or `isEnough` returns true. */
async function events(path: string, headers = {}, isEnough: (received: ServerEvent[]) => boolean = () => false) {
  const response = await ann.open("GET", path, { headers: { accept: "text/event-stream", ...headers } });
  expect([response.statusCode, response.headers["content-type"]]).toEqual([200, "text/event-stream; charset=utf-8"]);
  const received: ServerEvent[] = [];
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    const blocks = (text + chunk).split("\n\n");
    text = blocks.pop()!;
    // A comment says what a queued build waits for.
    for (const block of blocks) if (!block.startsWith(":")) received.push(parse(block));
    if (isEnough(received)) break;
  }
  return received;
}

function parse(block: string): ServerEvent {
  const lines = block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
  const fields = Object.fromEntries(lines);
  return { event: fields.event, id: fields.id, data: fields.data && JSON.parse(fields.data) };
}

const textOf = (received: ServerEvent[]) =>
  received.flatMap(({ event, data }) => (event === "output" ? [data] : [])).join("");

test("a build gets its objects", async () => {
  created(await ann.send("POST", "/objects?name=greeting", { body: "hello from an object" }));
  const build = await run({ ...job(["cat greeting.txt"]), objects: ["greeting => greeting.txt"] });
  expect(build).toMatchObject({ status: "passed", output: expect.stringContaining("hello from an object") });
});

describe("output", () => {
  test("is returned as text, whole or in parts", async () => {
    const build = await run(job(["echo grüße"]));
    expect(build).toMatchObject({ status: "passed", started_at: time, finished_at: time });
    const { status, text, headers } = await ann.get(build.output_url);
    expect([status, text]).toEqual([200, build.output]);
    expect(headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "accept-ranges": "bytes",
      "content-length": String(Buffer.byteLength(text)),
      "content-disposition": `inline; filename=${ann.username}-${build.number}.log`,
      "x-content-type-options": "nosniff",
      vary: "Accept",
    });
    expect(text).toContain("grüße");
    const size = Buffer.byteLength(text);
    const part = await ann.get(build.output_url, { range: "bytes=2-5" });
    expect([part.status, part.headers["content-range"]]).toEqual([206, `bytes 2-5/${size}`]);
    expect(part.bytes.equals(Buffer.from(text).subarray(2, 6))).toBe(true);
    const wholeRange = await ann.get(build.output_url, { range: `bytes=-${size + 1}` });
    expect([wholeRange.status, wholeRange.text, wholeRange.headers["content-range"]]).toEqual([
      206,
      text,
      `bytes 0-${size - 1}/${size}`,
    ]);
    const outside = { status: 416, json: { message: "Range Not Satisfiable" } };
    expect(await ann.get(build.output_url, { range: `bytes=${size}-` })).toMatchObject({
      ...outside,
      headers: { "content-range": `bytes */${size}` },
    });
    const head = await ann.send("HEAD", build.output_url);
    expect([head.headers["content-length"], head.text]).toEqual([String(size), ""]);
  });

  test("of a job is returned alone and in the job's record", async () => {
    const build = await run(job(["echo grüße"]));
    const { manifest, tests, ...copy } = build;
    const url = `${build.jobs_url}/test.1`;
    const { text, headers } = await ann.get(`${url}/output`);
    expect(text).toMatch(/grüße\n$/);
    expect(headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "content-disposition": `inline; filename=${ann.username}-${build.number}-test.1.log`,
      "accept-ranges": "bytes",
    });
    const { json } = await ann.get(url);
    expect(json).toEqual({
      id: expect.any(Number),
      build_id: build.id,
      stage: "test",
      name: "test.1",
      commmands: "echo grüße",
      commands: "echo grüße",
      status: "passed",
      output: text,
      created_at: build.created_at,
      started_at: time,
      finished_at: time,
      exit_code: 0,
      reason: null,
      url,
      output_url: `${url}/output`,
      content_url: `${url}/output?download`,
      build: { ...copy, output: null },
    });
    const listed = (await ann.get(`${build.jobs_url}?status=passed`)).json;
    expect(listed).toEqual([(await ann.get(`${build.jobs_url}/create-driver`)).json, json]);
    const size = Buffer.byteLength(text);
    expect(await ann.get(json.output_url, { range: "bytes=-999" })).toMatchObject({ status: 206, text });
    const part = await ann.get(json.output_url, { range: "bytes=-1" });
    expect([part.status, part.text, part.headers["content-range"]]).toEqual([
      206,
      "\n",
      `bytes ${size - 1}-${size - 1}/${size}`,
    ]);
    expect((await ann.get(json.output_url, { range: `bytes=${size}-` })).headers["content-range"]).toBe(
      `bytes */${size}`,
    );
  });

  test("is empty for a build without output", async () => {
    const { url, output_url } = created(await ann.post("/builds", aBuild({ driver: { type: "qemu", image: "none" } })));
    expect(await ann.get(output_url)).toMatchObject({ status: 200, text: "", json: undefined });
    expect((await ann.get(output_url, { range: "bytes=0-" })).status).toBe(416);
    expect(await ann.get(output_url, { range: "bytes=-1" })).toMatchObject({ status: 200, text: "" });
    await ann.delete(url);
    expect(await events(output_url)).toEqual([{ event: "end", id: undefined, data: { status: "killed" } }]);
  });

  test("is streamed, and resumes after the last event", async () => {
    const gate = join(dir, "gate");
    const wait = `while [ ! -e ${gate} ]; do sleep 0.05; done`;
    const { output_url, url } = created(await ann.post("/builds", aBuild(job(["echo before", wait, "echo after"]))));
    const before = await events(output_url, {}, (received) => textOf(received).includes("before\n"));
    expect(before.every(({ event }) => event === "output")).toBe(true);
    const offset = Number(before.at(-1)!.id);
    expect(offset).toBe(Buffer.byteLength(textOf(before)));
    const remaining = events(output_url, { "last-event-id": String(offset) });
    await writeFile(gate, "");
    const after = await remaining;
    expect(after.at(-1)).toEqual({ event: "end", id: undefined, data: { status: "passed" } });
    const complete = (await ann.get(url)).json.output;
    expect(textOf(before) + textOf(after)).toBe(complete);
    for (const [id, text] of [
      ["x", complete],
      ["999999999", ""],
    ])
      expect(textOf(await events(output_url, { "last-event-id": id }))).toBe(text);
    const job1 = await events(`${url}/jobs/test.1/output`);
    expect(textOf(job1)).toContain("after\n");
    expect(job1.at(-1)!.data).toEqual({ status: "passed" });
  });

  test("reaches a slow client completely", async () => {
    const build = await run(job(["yes abcdefghijklmnopqrstuvwxyz | head -c 4000000"]));
    const received = await events(build.output_url);
    const text = (await ann.get(build.output_url)).text;
    expect(text.length).toBeGreaterThan(4_000_000);
    expect(textOf(received) === text).toBe(true);
    expect(build.output.startsWith("-- ")).toBe(true);
  });
});

describe("a kill", () => {
  test("ends a running build and its stream", async () => {
    const { url, output_url } = created(await ann.post("/builds", aBuild(job(["echo up", "sleep 600"]))));
    const stream = events(output_url);
    await eventually(async () => expect((await ann.get(url)).json.output).toContain("up"));
    expect((await ann.delete(url)).status).toBe(204);
    expect((await stream).at(-1)!.data).toEqual({ status: "killed" });
    expect((await ann.get(url)).json.status).toBe("killed");
  });
});

describe("artifacts", () => {
  test("are found under their URL, whatever their names", async () => {
    const names = [".", "./x", "a//b", "a/.", "out/", "/abs", "%2F", "x/-/y"];
    const build = await run(
      job(
        ["touch x"],
        names.map((name, index) => `${index === 0 ? "" : "./".repeat(index)}x => ${name}`),
      ),
    );
    const { json } = await ann.get(build.artifacts_url);
    const found = await Promise.all(json.map(async ({ url }: { url: string }) => (await ann.get(url)).json.name));
    const contents = await Promise.all(
      json.map(async (one: { content_url: string }) => (await ann.get(one.content_url)).status),
    );
    expect([found.toSorted(), new Set(contents)]).toEqual([names.toSorted(), new Set([200])]);
  });

  test("have a record at once, and content after their job", async () => {
    const fields = job(["printf content > out.bin"], ["out.bin => dist/a b.bin", "nothing"]);
    const build = await run(fields);
    const { json } = await ann.get(build.artifacts_url);
    expect(json.map(({ name }: { name: string }) => name)).toEqual(["dist/a b.bin", "nothing"]);
    const { manifest, tests, ...copy } = build;
    const { build: _, ...jobCopy } = (await ann.get(`${build.jobs_url}/test.1`)).json;
    const user = { id: ann.id, email: ann.email, username: ann.username, created_at: time };
    expect(json[0]).toEqual({
      id: expect.any(Number),
      build_id: build.id,
      job_id: jobCopy.id,
      user_id: ann.id,
      source: "out.bin",
      name: "dist/a b.bin",
      size: 7,
      md5: createHash("md5").update("content").digest("hex"),
      sha256: createHash("sha256").update("content").digest("hex"),
      created_at: time,
      deleted_at: null,
      url: `${build.artifacts_url}/dist/a%20b.bin`,
      content_url: `${build.artifacts_url}/dist/a%20b.bin?download`,
      user,
      build: { ...copy, output: null },
      job: { ...jobCopy, output: null },
    });
    expect((await ann.get(json[0].url)).json).toEqual(json[0]);
    expect((await ann.get(`${build.artifacts_url}?search=DIST`)).json).toEqual([json[0]]);
    expect(json[1]).toEqual({
      ...json[0],
      id: expect.any(Number),
      source: "nothing",
      name: "nothing",
      size: null,
      md5: null,
      sha256: null,
      url: `${build.artifacts_url}/nothing`,
      content_url: null,
    });
    const accept = "application/octet-stream";
    const lastModified = new Date(jobCopy.finished_at).toUTCString();
    const content = await ann.get(json[0].url, { accept });
    expect([content.status, content.text]).toEqual([200, "content"]);
    expect(content.headers).toMatchObject({
      "content-type": accept,
      "content-disposition": 'attachment; filename="a b.bin"',
      "x-content-type-options": "nosniff",
      "last-modified": lastModified,
      "content-length": "7",
      "accept-ranges": "bytes",
    });
    const get = (headers: object) => ann.get(json[0].url, { accept, ...headers });
    expect(await get({ range: "bytes=3-" })).toMatchObject({
      status: 206,
      text: "tent",
      headers: {
        "content-range": "bytes 3-6/7",
        "content-length": "4",
        "content-disposition": 'attachment; filename="a b.bin"',
      },
    });
    expect(await get({ range: "bytes=-8" })).toMatchObject({
      status: 206,
      text: "content",
      headers: { "content-range": "bytes 0-6/7" },
    });
    expect(await get({ range: "bytes=7-" })).toMatchObject({
      status: 416,
      json: { message: "Range Not Satisfiable" },
      headers: { "content-range": "bytes */7" },
    });
    expect(await get({ "if-modified-since": lastModified })).toMatchObject({ status: 304, text: "" });
    expect((await ann.get(json[0].url, { accept: `${accept}, */*` })).json).toEqual(json[0]);
    expect((await ann.get(json[1].url, { accept })).status).toBe(404);
    expect((await ann.get(`${build.artifacts_url}/none`)).status).toBe(404);
  });
});
