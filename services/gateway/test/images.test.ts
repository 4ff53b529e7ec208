import { aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";

const ci = constellation();
const time = expect.stringMatching(/Z$/);
/** Too short for a header that could be invalid. */
const qcow2 = Buffer.from([0x51, 0x46, 0x49, 0xfb, 1, 2, 3]);
const type = "application/x-qemu-disk";
const asCurl = { "content-type": "application/x-www-form-urlencoded" };
const letters = "Name can only contain letters, numbers, dashes, and underscores";
const badNamespace =
  "Namespace name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number";
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
});
const upload = (query: string, body: string | Buffer, headers = {}) =>
  ann.send("POST", `/images${query}`, { body, headers });

describe("succeeds", () => {
  test("returns every field of an uploaded image, and its content", async () => {
    const name = aWord("image-");
    const { status, json } = await upload(`?name=${name}`, qcow2, { "content-type": type });
    expect(status).toBe(201);
    const user = { id: ann.id, email: ann.email, username: ann.username, created_at: time };
    expect(json).toEqual({
      id: expect.any(Number),
      author_id: ann.id,
      user_id: ann.id,
      namespace_id: null,
      name,
      created_at: time,
      url: `${ci.url}/images/${json.id}`,
      content_url: `${ci.url}/images/${json.id}?download`,
      author: user,
      user,
      namespace: null,
      driver: "qemu",
      download: null,
    });
    expect((await ann.get(json.url)).json).toEqual(json);
    expect((await ann.get(`/images?search=${name}`)).json).toEqual([json]);
    const content = await ann.get(json.url, { accept: type });
    const disposition = `attachment; filename=${name}.qcow2`;
    expect(content.headers).toMatchObject({ "content-type": type, "content-disposition": disposition });
    expect(content.bytes.equals(qcow2)).toBe(true);
    const part = await ann.get(json.url, { accept: type, range: "bytes=4-5" });
    expect([part.status, [...part.bytes]]).toEqual([206, [1, 2]]);
    const all = await ann.get(json.url, { accept: type, range: "bytes=-8" });
    expect([all.status, all.headers["content-range"], all.bytes]).toEqual([206, "bytes 0-6/7", qcow2]);
    expect((await ann.delete(json.url)).status).toBe(204);
    expect((await ann.get(json.url)).status).toBe(404);
  });

  test("accepts content that curl labels as a form if the name is in the query", async () => {
    const disk = Buffer.concat([qcow2, Buffer.alloc(64)]);
    const name = aWord("image-");
    const { status, json } = await upload(`?name=${name}`, disk, asCurl);
    expect([status, json.name]).toEqual([201, name]);
    const { bytes } = await ann.get(json.url, { accept: type });
    expect(bytes.equals(disk)).toBe(true);
  });

  test("accepts a form", async () => {
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n';
    const rest = '\r\n--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nformed\r\n--b--\r\n';
    const body = Buffer.concat([Buffer.from(head), qcow2, Buffer.from(rest)]);
    const response = await upload("", body, { "content-type": "multipart/form-data; boundary=b" });
    expect(response).toMatchObject({ status: 201, json: { name: "formed" } });
  });

  test("returns the record of a download at once, and the content once it has arrived", async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await using source = await receiver({
      answer: async () => {
        await answered;
        return { status: 200, headers: { "content-type": type }, body: qcow2 };
      },
    });
    const namespace = aWord("ns");
    const record = created(
      await ann.post("/images", { name: "fetched", namespace, download_url: `${source.url}/disk.qcow2` }),
    );
    expect(record).toMatchObject({
      namespace: { path: namespace },
      download: {
        source: `${source.url}/disk.qcow2`,
        error: null,
        created_at: time,
        finished_at: null,
        received: 0,
        total: null,
      },
    });
    expect((await ann.get(record.url, { accept: type })).status).toBe(404);
    answer();
    await eventually(async () => expect((await ann.get(record.url, { accept: type })).bytes.equals(qcow2)).toBe(true));
    expect((await ann.get(record.url)).json.download).toMatchObject({
      started_at: time,
      finished_at: time,
      error: null,
      received: qcow2.length,
      total: null,
    });
    expect((await ann.get(`/n/${ann.username}/${namespace}/-/images`)).json).toMatchObject([{ id: record.id }]);
  });
});

describe("invalid", () => {
  const json = { "content-type": "application/json" };
  const missing = { name: ["Name field required"], file: ["File field required"] };

  test.each([
    ["", "", {}, missing],
    ["?name=query", "{}", json, missing],
    ["", "", json, missing],
    [
      "",
      '{"name":"a b","download_url":"ftp://a"}',
      json,
      {
        name: [letters],
        download_url: ["Download_url invalid url scheme"],
      },
    ],
    ["", '{"name":"a","download_url":5}', json, { download_url: ["Download_url must be a string"] }],
    ["", "name=b", asCurl, { file: ["File field required"] }],
    ["", "name=b+c&namespace=-", asCurl, { name: [letters], namespace: [badNamespace], file: ["File field required"] }],
    ["?namespace=good", "name=b", asCurl, { file: ["File field required"] }],
    ["?name=a", "", asCurl, { file: ["File field required"] }],
    ["?name=a", "name=b", asCurl, { file: ["File not a valid QCOW2 file format"] }],
    ["?name=a", "no disk", {}, { file: ["File not a valid QCOW2 file format"] }],
  ])("rejects %s %s", async (query, body, headers, fields) => {
    const { status, json } = await upload(query, body, headers);
    expect({ status, json }).toEqual({ status: 400, json: fields });
  });
});
