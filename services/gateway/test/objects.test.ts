import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { aBuild, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";

const ci = constellation();
const time = expect.stringMatching(/Z$/);
const hash = (kind: string, bytes: Buffer) => createHash(kind).update(bytes).digest("hex");
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
});

type Body = string | Buffer | Readable;
const upload = (query: string, body: Body, headers = {}) => ann.send("POST", `/objects${query}`, { body, headers });

/** Returns a multipart form, in which a part with a file name is a file. */
function form(...parts: { name: string; filename?: string; value: string | Buffer }[]): Buffer {
  const chunks = parts.flatMap(({ name, filename, value }) => [
    Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"`),
    Buffer.from(filename ? `; filename="${filename}"\r\nContent-Type: application/json\r\n\r\n` : "\r\n\r\n"),
    Buffer.from(value),
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...chunks, Buffer.from("--b--\r\n")]);
}
const asCurl = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
const asForm = { "content-type": "multipart/form-data; boundary=b" };
const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(100_000, 7)]);

describe("succeeds", () => {
  test("returns every field of an uploaded object", async () => {
    const namespace = aWord("ns");
    const name = aWord("logo.");
    const { status, json } = await upload(`?name=${name}&namespace=${namespace}/web`, png);
    expect(status).toBe(201);
    const where = (await ann.get(`/n/${ann.username}/${namespace}/web`)).json;
    const { parent, build, ...copy } = where;
    const user = { id: ann.id, email: ann.email, username: ann.username, created_at: time };
    expect(json).toEqual({
      id: expect.any(Number),
      author_id: ann.id,
      user_id: ann.id,
      namespace_id: where.id,
      name,
      type: "image/png",
      size: png.length,
      md5: hash("md5", png),
      sha256: hash("sha256", png),
      created_at: time,
      url: `${ci.url}/objects/${json.id}`,
      content_url: `${ci.url}/objects/${json.id}?download`,
      builds_url: `${ci.url}/objects/${json.id}/builds`,
      author: user,
      user,
      namespace: copy,
    });
    expect((await ann.get(json.url)).json).toEqual(json);
    expect((await ann.get(`/objects?search=${name.toUpperCase()}`)).json).toEqual([json]);
    expect((await ann.get(`/n/${ann.username}/${namespace}/web/-/objects`)).json).toEqual([json]);
    expect((await ann.get(`/n/${ann.username}/${namespace}/-/objects`)).json).toEqual([]);
    expect(await ann.delete(json.url)).toMatchObject({ status: 204, text: "" });
    expect((await ann.get(json.url)).status).toBe(404);
  });

  test.each(["application/json", "text/plain", "image/gif", undefined])(
    "accepts raw content sent as %s",
    async (type) => {
      const name = aWord();
      const body = '{"name":"other"}';
      const response = await upload(`?name=${name}`, body, type ? { "content-type": type } : {});
      expect(response).toMatchObject({
        status: 201,
        json: { name, type: "text/plain; charset=utf-8", size: body.length },
      });
    },
  );

  test("accepts content that curl labels as a form if the name is in the query", async () => {
    const body = Buffer.concat([Buffer.from("name=other&namespace=n&file=%00+"), Buffer.alloc(3 * 1024 ** 2, "&a=b")]);
    const response = await upload(`?name=${aWord()}`, body, asCurl);
    expect(response).toMatchObject({
      status: 201,
      json: { size: body.length, sha256: hash("sha256", body), namespace: null },
    });
  });

  test("accepts chunked content", async () => {
    const chunks = Array.from({ length: 50 }, (_, i) => Buffer.alloc(50_000, i));
    const { json } = await upload(`?name=${aWord()}`, Readable.from(chunks));
    expect(json).toMatchObject({ size: 2_500_000, sha256: hash("sha256", Buffer.concat(chunks)) });
    const response = await ann.get(json.url, { accept: json.type });
    expect(response.bytes.equals(Buffer.concat(chunks))).toBe(true);
  });

  test("accepts a form with its parts in any order", async () => {
    const namespace = aWord("ns");
    const fields = [
      { name: "namespace", value: namespace },
      { name: "name", value: "a.png" },
    ];
    const file = { name: "file", filename: "b.json", value: png };
    const before = await upload("", form(...fields, file), asForm);
    expect(before).toMatchObject({ status: 201, json: { name: "a.png", type: "image/png", size: png.length } });
    expect(before.json.namespace.path).toBe(namespace);
    const after = await upload("?name=query", form(file, { name: "name", value: "c.png" }), asForm);
    expect(after).toMatchObject({ status: 201, json: { name: "c.png", sha256: hash("sha256", png) } });
    const text = await upload(`?name=${aWord()}`, form({ name: "file", value: "just text" }), asForm);
    expect(text).toMatchObject({ status: 201, json: { size: 9 } });
    const binary = await upload(`?name=${aWord()}`, form({ name: "file", value: png }), asForm);
    const complaints = { file: ["File needs a file name unless it is text in UTF-8"] };
    expect(binary).toMatchObject({ status: 400, json: complaints });
  });

  test("accepts a form that ends with its file, sixty times in a row", async () => {
    for (let nth = 0; nth < 60; nth++) {
      const body = form({ name: "name", value: aWord() }, { name: "file", filename: "f", value: "abc" });
      expect(await upload("", body, asForm)).toMatchObject({ status: 201, json: { size: 3 } });
    }
  });
});

describe("content", () => {
  test("is returned if exactly its type is accepted", async () => {
    const { json } = await upload(`?name=${aWord()}.txt`, "hello, world");
    const { status, headers, text } = await ann.get(json.url, { accept: "TEXT/plain;charset=UTF-8" });
    expect([status, text]).toEqual([200, "hello, world"]);
    expect(headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "content-length": "12",
      "content-disposition": `attachment; filename=${json.name}`,
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
      "cache-control": "private, no-cache",
      "last-modified": new Date(json.created_at).toUTCString(),
    });
    for (const accept of ["text/plain", "*/*", "text/plain; charset=utf-8, */*", ""])
      expect((await ann.get(json.url, { accept })).json).toEqual(json);
  });

  test.each([
    ["bytes=0-4", 206, "hello", "bytes 0-4/12"],
    ["bytes=7-", 206, "world", "bytes 7-11/12"],
    ["bytes=-5", 206, "world", "bytes 7-11/12"],
    ["bytes=-99", 206, "hello, world", "bytes 0-11/12"],
    ["BYTES=-99", 206, "hello, world", "bytes 0-11/12"],
    ["bytes=-0", 416, '{"message":"Range Not Satisfiable"}', "bytes */12"],
    ["bytes=0-99", 206, "hello, world", "bytes 0-11/12"],
    ["bytes=0-0,2-3", 200, "hello, world", undefined],
    ["lines=50-60", 200, "hello, world", undefined],
    ["lines=1-2", 200, "hello, world", undefined],
    ["bytes=a-b", 200, "hello, world", undefined],
    ["bytes=12-", 416, '{"message":"Range Not Satisfiable"}', "bytes */12"],
  ])("honours the range %s", async (range, status, text, contentRange) => {
    const { json } = await upload(`?name=${aWord()}`, "hello, world");
    const response = await ann.get(json.url, { accept: json.type, range });
    expect([response.status, response.text, response.headers["content-range"]]).toEqual([status, text, contentRange]);
    const head = await ann.send("HEAD", json.url, { headers: { accept: json.type, range } });
    expect([head.status, head.text, head.headers["content-length"]]).toEqual([status, "", String(text.length)]);
  });

  test("is not sent again to clients that have it", async () => {
    const { json } = await upload(`?name=${aWord()}`, "hello, world");
    const modified = (ms: number) => new Date(Date.parse(json.created_at) + ms).toUTCString();
    const get = (headers: object) => ann.get(json.url, { accept: json.type, ...headers });
    const kept = await get({ "if-modified-since": modified(0) });
    expect(kept).toMatchObject({ status: 304, text: "", headers: { "cache-control": "private, no-cache" } });
    expect((await get({ "if-modified-since": modified(-2_000) })).status).toBe(200);
    expect((await get({ "if-modified-since": "yesterday" })).status).toBe(200);
    expect((await get({ range: "bytes=0-0", "if-range": modified(0) })).status).toBe(206);
    expect((await get({ range: "bytes=0-0", "if-range": modified(-2_000) })).status).toBe(200);
  });
});

describe("the builds of an object", () => {
  test("are listed until the object is deleted", async () => {
    const name = aWord();
    const { json } = await upload(`?name=${name}`, "x");
    const build = created(await ann.post("/builds", aBuild({ objects: [`${name} => in/file`] })));
    const { headers, json: builds } = await ann.get(json.builds_url);
    expect([builds, headers.link]).toEqual([[{ ...build, queue: expect.anything() }], undefined]);
    await ann.delete(json.url);
    expect((await ann.get(json.builds_url)).status).toBe(404);
    expect((await ann.get(`${json.builds_url}?status=x`)).status).toBe(404);
  });

  test("are filtered by tag, text and status", async () => {
    const name = aWord();
    const { json } = await upload(`?name=${name}`, "x");
    const submit = async (tag: string) =>
      created(await ann.post("/builds", aBuild({ objects: [`${name} => in/file`], tags: [tag] })));
    const [first, second] = [await submit("v1"), await submit("v1.1")];
    const ids = async (query: string) =>
      (await ann.get(`${json.builds_url}?${query}`)).json.map(({ id }: { id: number }) => id);
    expect(await ids("tag=v1")).toEqual([first.id]);
    expect(await ids("search=V1")).toEqual([second.id, first.id]);
    expect(await ids("search=1.1&status=queued")).toEqual([second.id]);
    expect(await ids("search=1.1&tag=v1")).toEqual([]);
    expect(await ids("status=passed")).toEqual([]);
    const { status, json: refused } = await ann.get(`${json.builds_url}?status=x`);
    expect([status, refused]).toEqual([400, { status: ["Status invalid status x"] }]);
  });
});

describe("invalid", () => {
  const limitBytes = 5 * 1024 * 1024;
  const required = { name: ["Name field required"], file: ["File field required"] };

  test.each([
    ["", "", {}, required],
    ["", "", { "content-type": "application/json" }, required],
    ["", form(), asForm, required],
    ["", "name=b", asCurl, { file: ["File field required"] }],
    ["?namespace=good", "name=b", asCurl, { file: ["File field required"] }],
    ["?name=a", "", asCurl, { file: ["File field required"] }],
    ["?name=", "name=b", asCurl, { name: ["Name field required"] }],
    ["", "x=".repeat(8), asCurl, required],
    ["?name=a/b", "x", {}, { name: ["Name can only contain letters, numbers, dots, dashes, and underscores"] }],
    ["?name=a&name=b", "x", {}, { name: ["Name must be a string"] }],
    [
      "?name=a&namespace=-n@nobody",
      "x",
      {},
      {
        namespace: [
          "Namespace name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number",
          "Namespace invalid owner",
        ],
      },
    ],
  ])("rejects %s %s", async (query, body, headers, fields) => {
    const { status, json } = await upload(query, body, headers);
    expect({ status, json }).toEqual({ status: 400, json: fields });
  });

  test("rejects a taken name", async () => {
    const name = aWord();
    created(await upload(`?name=${name}`, "x"));
    const { status, json } = await upload(`?name=${name}`, "y");
    expect({ status, json }).toEqual({ status: 400, json: { name: ["Name already exists"] } });
  });

  test("accepts 5 MiB and rejects more", async () => {
    expect(await upload(`?name=${aWord()}`, Buffer.alloc(limitBytes))).toMatchObject({
      status: 201,
      json: { size: limitBytes },
    });
    const refused = { status: 400, json: { file: ["file too large, cannot exceed 5 MB"] } };
    const name = aWord();
    expect(await upload(`?name=${name}`, Buffer.alloc(limitBytes + 1))).toMatchObject(refused);
    const file = { name: "file", filename: "f", value: Buffer.alloc(limitBytes + 1) };
    expect(await upload(`?name=${name}`, form(file), asForm)).toMatchObject(refused);
    expect((await ann.get(`/objects?search=${name}`)).json).toEqual([]);
  });

  test("rejects too much content while the client is still sending", async () => {
    const endless = Readable.from(
      (function* () {
        for (let i = 0; i < 60; i++) yield Buffer.alloc(1024 * 1024);
      })(),
    );
    const { status, json, headers } = await upload(`?name=${aWord()}`, endless);
    expect([status, json, headers.connection]).toEqual([
      400,
      { file: ["file too large, cannot exceed 5 MB"] },
      "close",
    ]);
  });

  test("rejects a wrong name of content above the limit with both complaints", async () => {
    const name = ["Name can only contain letters, numbers, dots, dashes, and underscores"];
    const refused = { status: 400, json: { name, file: ["file too large, cannot exceed 5 MB"] } };
    expect(await upload("?name=a%20b", Buffer.alloc(limitBytes + 1))).toMatchObject(refused);
  });

  test("rejects a form whose name follows a file that is too large for memory", async () => {
    const value = Buffer.alloc(9 * 1024 * 1024);
    const file = { name: "file", filename: "f", value };
    const name = { name: "name", value: aWord() };
    expect(await upload("", form(file, name), asForm)).toMatchObject({
      status: 400,
      json: { name: ["Name field required"] },
    });
  });
});

test("an interrupted upload creates nothing", async () => {
  const name = aWord();
  const brokenBody = Readable.from(
    (async function* () {
      yield Buffer.alloc(100_000);
      throw new Error("broken off");
    })(),
  );
  await upload(`?name=${name}`, brokenBody).catch(() => undefined);
  expect((await ann.get(`/objects?search=${name}`)).json).toEqual([]);
});
