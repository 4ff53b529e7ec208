import { aWord } from "@ci/testkit/builders";
import { constellation, type SignedUp } from "@ci/testkit/constellation";

const ci = constellation();
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
});

const urlencoded = "application/x-www-form-urlencoded";
const multipart = "multipart/form-data; boundary=b";
const tooMany = { status: 400, json: { message: "Form cannot have more than 100 fields" } };
const tooLarge = { status: 413, json: { message: "Request body too large" } };
const limitBytes = 2 * 1024 * 1024;

const create = (body: string | Buffer, type: string) =>
  ann.send("POST", "/namespaces", { body, headers: { "content-type": type } });

const listed = (count: number, item: (i: number) => string) => Array.from({ length: count }, (_, i) => item(i));

const part = (disposition: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const formOf = (parts: readonly string[]) => `${parts.join("")}--b--\r\n`;

describe("a form of 100 fields is read, and one of more is refused", () => {
  test("urlencoded", async () => {
    const name = aWord("ns");
    const others = listed(99, (i) => `f${i}=x`);
    expect(await create([...others, `name=${name}`].join("&"), urlencoded)).toMatchObject({ status: 201 });
    expect(await create([...others, "f=x", `name=${name}x`].join("&"), urlencoded)).toMatchObject(tooMany);
  });

  test("multipart", async () => {
    const name = aWord("ns");
    const others = listed(99, (i) => part(`name="f${i}"`, "x"));
    expect(await create(formOf([...others, part('name="name"', name)]), multipart)).toMatchObject({ status: 201 });
    const more = formOf([...others, part('name="f"', "x"), part('name="name"', `${name}x`)]);
    expect(await create(more, multipart)).toMatchObject(tooMany);
    const files = formOf(listed(101, (i) => part(`name="f${i}"; filename="f"`, "x")));
    expect(await create(files, multipart)).toMatchObject(tooMany);
  });
});

test.each([
  ["names", listed(200_000, (i) => `f${i}=`).join("&")],
  ["values of one name", "name=a&".repeat(200_000)],
  ["separators", "&".repeat(limitBytes)],
  ["empty values of an upload", listed(200_000, (i) => `f${i}=`).join("&"), "/objects"],
])("a urlencoded form of 2 MiB of %s is refused while others are served", async (_, body, path = "/namespaces") => {
  const sent = ann.send("POST", path, { body, headers: { "content-type": urlencoded } });
  const beside = await Promise.all(listed(5, () => "/user").map((path) => ann.get(path)));
  expect(beside.map(({ status }) => status)).toEqual(beside.map(() => 200));
  expect(await sent).toMatchObject(tooMany);
});

test("a boundary far longer than RFC 2046 allows is refused", async () => {
  const send = (boundary: string, name: string) => {
    const form = formOf([part('name="name"', name)]).replaceAll(/^--b/gm, `--${boundary}`);
    return create(form, `multipart/form-data; boundary=${boundary}`);
  };
  const malformed = {
    status: 400,
    json: { message: "Malformed form; check its boundaries, names and charsets, and that it is complete" },
  };
  expect(await send("b".repeat(300), aWord("ns"))).toMatchObject(malformed);
  const name = aWord("ns");
  expect(await send("b".repeat(70), name)).toMatchObject({ status: 201, json: { name } });
});

test("a form that breaks off in another file is malformed", async () => {
  const form = formOf([part('name="name"', aWord("ns")), part('name="other"; filename="o"', "x".repeat(1_000))]);
  const malformed = {
    status: 400,
    json: { message: "Malformed form; check its boundaries, names and charsets, and that it is complete" },
  };
  expect(await create(form.slice(0, -500), multipart)).toMatchObject(malformed);
});

test("other files of an upload count as fields do", async () => {
  const upload = (otherBytes: number) => {
    const name = aWord();
    const other = part('name="other"; filename="o"', "x".repeat(otherBytes));
    const body = formOf([part('name="name"', name), other, part('name="file"; filename="f"', "content")]);
    return ann.send("POST", "/objects", { body, headers: { "content-type": multipart } });
  };
  expect(await upload(limitBytes - 1_000)).toMatchObject({ status: 201 });
  expect(await upload(limitBytes + 1)).toMatchObject(tooLarge);
});

test("an empty field of a form is an empty list: a webhook without events gets all of them", async () => {
  const { json: namespace } = await ann.post("/namespaces", { name: aWord("ns") });
  const path = `/n/${ann.username}/${namespace.path}/-/webhooks`;
  const send = (method: string, path: string, body: string) =>
    ann.send(method, path, { body, headers: { "content-type": urlencoded } });
  const url = "payload_url=http://hooks.example";
  const { json: webhook } = await send("POST", path, `${url}&events=cron&active=0`);
  expect(webhook.events).toEqual(["cron"]);
  const changed = await send("PATCH", `${path}/${webhook.id}`, "events=");
  expect(changed).toMatchObject({ status: 200, json: { active: false } });
  expect(changed.json.events).toContain("images");
  const form = formOf([part('name="payload_url"', "http://other.example"), part('name="events"', "")]);
  const created = await ann.send("POST", path, { body: form, headers: { "content-type": multipart } });
  expect(created).toMatchObject({ status: 201, json: { events: changed.json.events } });
});
