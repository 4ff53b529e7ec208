import { rm } from "node:fs/promises";
import { aBuild, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { sharedFolder } from "@ci/testkit/shared-folder";

const ci = constellation({ runner: true, settings: { DOWNLOADS_AT_ONCE: "1", OBJECT_LIMIT: "64MiB" } });
const qcow2 = Buffer.from([0x51, 0x46, 0x49, 0xfb, 1, 2, 3]);
const accepted = ["*/*", "application/json", "text/html,application/xhtml+xml;q=0.9", "text/event-stream", ""];
let ann: SignedUp;
let dir: string;
/** The address of content of each kind, its file and its bytes. */
let contents: [kind: string, url: string, file: string, bytes: Buffer][];

beforeAll(async () => {
  ann = await ci.signUp();
  dir = sharedFolder("ci-downloads-");
  const upload = async (path: string, body: string | Buffer) => created(await ann.send("POST", path, { body }));
  const object = await upload(`/objects?name=${aWord()}.html`, "<script>alert(1)</script>");
  const image = await upload(`/images?name=${aWord()}`, qcow2);
  const jobs = [{ stage: "test", commands: ["echo said", "printf made > out"], artifacts: ["out => dist/a b.txt"] }];
  const { url } = created(await ann.post("/builds", aBuild({ jobs })));
  await eventually(async () => expect((await ann.get(url)).json.status).toBe("passed"));
  const build = (await ann.get(url)).json;
  const job = (await ann.get(`${url}/jobs/test.1`)).json;
  const artifact = (await ann.get(`${url}/artifacts/dist/a%20b.txt`)).json;
  const log = `${ann.username}-${build.number}`;
  contents = [
    ["object", object.content_url, object.name, Buffer.from("<script>alert(1)</script>")],
    ["image", image.content_url, `${image.name}.qcow2`, qcow2],
    ["artifact", artifact.content_url, '"a b.txt"', Buffer.from("made")],
    ["output of a build", build.content_url, `${log}.log`, Buffer.from(build.output)],
    ["output of a job", job.content_url, `${log}-test.1.log`, Buffer.from(job.output)],
  ];
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test("every record with content says where to download it", () => {
  for (const [kind, url] of contents) expect([kind, url]).toEqual([kind, expect.stringMatching(/\?download$/)]);
});

test("a download is the content as a file, whatever the client accepts", async () => {
  for (const [, url, file, bytes] of contents)
    for (const accept of accepted) {
      const response = await ann.get(url, { accept });
      expect([url, accept, response.status, response.bytes]).toEqual([url, accept, 200, bytes]);
      expect(response.headers).toMatchObject({
        "content-disposition": `attachment; filename=${file}`,
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
        "x-content-type-options": "nosniff",
        "accept-ranges": "bytes",
      });
      expect(response.headers.warning).toBeUndefined();
    }
});

test("a download answers HEAD, Range and If-Modified-Since", async () => {
  for (const [kind, url, , { length: size }] of contents) {
    const head = await ann.send("HEAD", url);
    expect([head.status, head.text, head.headers["content-length"]]).toEqual([200, "", String(size)]);
    const part = await ann.get(url, { range: "bytes=1-2" });
    expect([part.status, part.headers["content-range"], part.bytes.length]).toEqual([206, `bytes 1-2/${size}`, 2]);
    expect((await ann.get(url, { range: `bytes=${size}-` })).status).toBe(416);
    const { "last-modified": modified } = head.headers;
    if (modified) expect((await ann.get(url, { "if-modified-since": modified })).status).toBe(304);
    else expect(kind).toMatch(/^output/);
  }
});

test("a part of a job's output says in which line it begins, if the client asks", async () => {
  const [, url] = contents.find(([kind]) => kind === "output of a job")!;
  const output = url.replace("?download", "");
  const { text } = await ann.get(output);
  const lineAt = async (query: string, range?: string) =>
    (await ann.get(output + query, range === undefined ? {} : { range })).headers["x-first-line"];
  const second = text.indexOf("\n") + 1;
  const asked = [second - 1, second, text.length - 1].map((start) => lineAt("?first_line=true", `bytes=${start}-`));
  expect(await Promise.all(asked)).toEqual(["1", "2", String(text.trimEnd().split("\n").length)]);
  expect(await lineAt("?first_line=true")).toBe("1");
  expect(await lineAt("", "bytes=1-")).toBeUndefined();
});

test("a user's downloads wait for unread ones; other requests and those of others do not", async () => {
  const bob = await ci.signUp();
  const large = created(await ann.send("POST", `/objects?name=${aWord()}`, { body: Buffer.alloc(32 * 1024 * 1024) }));
  const theirs = created(await bob.send("POST", `/objects?name=${aWord()}`, { body: "x" }));
  // A machine can stall for longer than downloads may wait.
  await eventually(async () => {
    const unread = await ann.open("GET", large.content_url);
    const answered: string[] = [];
    const waiting = Promise.all(
      contents.map(async ([kind, url]) => {
        const { bytes } = await ann.get(url);
        answered.push(kind);
        return bytes;
      }),
    );
    try {
      for (const [, url] of contents) {
        const { status, headers } = await ann.send("HEAD", url);
        expect(status).toBe(200);
        const modified = headers["last-modified"];
        if (modified) expect((await ann.get(url, { "if-modified-since": modified })).status).toBe(304);
      }
      expect((await bob.get(theirs.content_url)).text).toBe("x");
      expect(answered).toEqual([]);
    } finally {
      unread.destroy();
      await waiting;
    }
    expect(await waiting).toEqual(contents.map(([, , , bytes]) => bytes));
  });
});

test("a download needs the same permissions as the record", async () => {
  const eve = await ci.signUp();
  const blind = created(await ann.post("/tokens", { name: aWord(), scope: "cron:read" }));
  for (const [kind, url] of contents) {
    const statuses = [await ci.as().get(url), await eve.get(url), await ci.as(blind.secret).get(url)];
    expect([kind, ...statuses.map(({ status }) => status)]).toEqual([kind, 401, 404, 403]);
  }
});

test("download=false is not a download", async () => {
  for (const [kind, url] of contents) {
    const { headers } = await ann.get(`${url}=false`);
    expect([kind, headers["content-disposition"] ?? "inline"]).toEqual([kind, expect.stringMatching(/^inline/)]);
  }
});

test("a record without content has no address for it, and the download is not found", async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await using source = await receiver({
    answer: async () => {
      await answered;
      return { status: 200, headers: { "content-type": "application/x-qemu-disk" }, body: qcow2 };
    },
  });
  const image = created(await ann.post("/images", { name: aWord(), download_url: source.url }));
  expect(image.content_url).toBeNull();
  expect((await ann.get(`${image.url}?download`)).status).toBe(404);
  answer();
  await eventually(async () => expect((await ann.get(image.url)).json.content_url).toBe(`${image.url}?download`));
  expect((await ann.get(`${image.url}?download`)).bytes.equals(qcow2)).toBe(true);

  const jobs = [{ stage: "test", commands: ["true"], artifacts: ["nothing"] }];
  const build = created(await ann.post("/builds", aBuild({ jobs })));
  await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
  const artifact = (await ann.get(`${build.artifacts_url}/nothing`)).json;
  expect(artifact.content_url).toBeNull();
  expect((await ann.get(`${artifact.url}?download`)).status).toBe(404);
});
