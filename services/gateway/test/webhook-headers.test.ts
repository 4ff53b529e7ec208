import { aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Receiver, receiver } from "@ci/testkit/receiver";

const ci = constellation();
let ann: SignedUp;
let inbox: Receiver;
beforeAll(async () => {
  ann = await ci.signUp();
  inbox = await receiver({ answer: ({ path }) => ({ status: path.startsWith("/gone") ? 410 : 200 }) });
});
afterAll(() => inbox[Symbol.asyncDispose]());

/** Creates a namespace of ann's with a webhook to a unique path, and what makes and reads its deliveries. */
async function aWebhook({ under = "", ...fields }: { under?: string; secret?: string } = {}) {
  const namespace = aWord("ns");
  const path = `/n/${ann.username}/${namespace}`;
  created(await ann.post("/namespaces", { name: namespace, visibility: "public" }));
  const payload_url = `${inbox.url}/${under}${namespace}`;
  const record = created(await ann.post(`${path}/-/webhooks`, { payload_url, events: ["variables"], ...fields }));
  const url: string = record.url.slice(ci.url.length);
  const put = (headers: unknown) => ann.send("PUT", `${url}/headers`, { json: { headers } });
  const received = (count: number) =>
    eventually(() => {
      const requests = inbox.requests.filter((request) => request.path === `/${under}${namespace}`);
      expect(requests).toHaveLength(count);
      return requests;
    });
  const emit = () => ann.post("/variables", { namespace, key: aWord("K").replaceAll("-", "_"), value: "v" });
  const log = async () => (await ann.get(`${url}/deliveries`)).json;
  return { path, url, put, received, emit, log };
}

describe("headers", () => {
  test("go with every request, and are shown neither by the API nor in the log", async () => {
    const { url, put, received, emit, log } = await aWebhook({ secret: "s" });
    expect((await ann.get(`${url}/headers`)).json).toEqual({ headers: {} });
    const stored = await put({ Authorization: "Bearer hidden-text", "x!#$%&'*+.^_`|~9": "~ !" });
    expect([stored.status, stored.json]).toEqual([
      200,
      { headers: { Authorization: "xxxxxx", "x!#$%&'*+.^_`|~9": "xxxxxx" } },
    ]);
    expect((await ann.get(`${url}/headers`)).json).toEqual(stored.json);
    await emit();
    await received(1);
    const [delivery] = await eventually(async () => {
      const found = await log();
      expect(found).toMatchObject([{ status: "delivered" }]);
      return found;
    });
    expect((await ann.post(`${url}/test`, {})).status).toBe(202);
    await received(2);
    expect((await ann.post(`${delivery.url}/redeliver`)).status).toBe(202);
    for (const { headers } of await received(3)) {
      expect(headers).toMatchObject({ authorization: "Bearer hidden-text", "x!#$%&'*+.^_`|~9": "~ !" });
      expect(headers["webhook-signature"]).toMatch(/^v1,/);
    }
    await eventually(async () =>
      expect((await log()).map((one: { status: string }) => one.status)).not.toContain("pending"),
    );
    for (const { url: deliveryUrl } of await log()) {
      const { text, json } = await ann.get(deliveryUrl);
      expect(text).not.toMatch(/authorization|hidden-text/i);
      expect(Object.keys(json.request.headers)).toContain("webhook-signature");
    }
    expect((await ann.get(url)).text).not.toMatch(/authorization|hidden-text/i);
  });

  test("are replaced as a whole, and a masked value keeps the stored one", async () => {
    const { url, put, received, emit } = await aWebhook();
    await put({ "X-One": "1", "X-Two": "2" });
    expect((await put({ "x-one": "xxxxxx", "X-Three": "3" })).json).toEqual({
      headers: { "x-one": "xxxxxx", "X-Three": "xxxxxx" },
    });
    await emit();
    const [first] = await received(1);
    expect(first!.headers).toMatchObject({ "x-one": "1", "x-three": "3" });
    expect(first!.headers).not.toHaveProperty("x-two");
    expect((await put({})).json).toEqual({ headers: {} });
    await emit();
    const [, second] = await received(2);
    expect(second!.headers).not.toHaveProperty("x-one");
    expect((await put({ "X-One": "xxxxxx" })).json).toEqual({
      headers: ["Headers value of X-One is xxxxxx, but none is stored"],
    });
    expect((await ann.get(`${url}/headers`)).json).toEqual({ headers: {} });
  });

  test("stay for another path, and are removed for another scheme, host or port", async () => {
    await using other = await receiver();
    const { url, put, emit } = await aWebhook();
    const shown = async () => (await ann.get(`${url}/headers`)).json.headers;
    await put({ "X-Key": "k" });
    await ann.patch(url, { payload_url: `${inbox.url}/elsewhere`, secret: "s" });
    expect(await shown()).toEqual({ "X-Key": "xxxxxx" });
    await ann.patch(url, { payload_url: `${other.url}/in` });
    expect(await shown()).toEqual({});
    await emit();
    await eventually(() => expect(other.requests).toHaveLength(1));
    expect(other.requests[0]!.headers).not.toHaveProperty("x-key");
    await ann.patch(url, { payload_url: `${inbox.url}/elsewhere` });
    expect(await shown()).toEqual({});
  });

  test("every change is in the audit log, without names and values", async () => {
    const { url, put } = await aWebhook();
    await put({ "X-Key": "audited-text" });
    await eventually(async () => {
      const { json, text } = await ci.admin.get("/audit?limit=100");
      expect(json).toContainEqual(
        expect.objectContaining({
          method: "PUT",
          path: `${url}/headers`,
          kind: "webhook",
          action: "setWebhookHeaders",
        }),
      );
      expect(text).not.toMatch(/X-Key|audited-text/);
    });
  });

  test.each([
    [{}, "Headers field required"],
    [{ headers: "A: b" }, "Headers must be an object of strings"],
    [{ headers: { A: 5 } }, "Headers must be an object of strings"],
    [{ headers: { Host: "a" } }, "Headers name Host is reserved"],
    [{ headers: { "X-Service-CI-Event": "a" } }, "Headers name X-Service-CI-Event is reserved"],
    [
      { headers: { A: "b\r\nC: d" } },
      "Headers value of A must be printable ASCII characters, without spaces at the ends",
    ],
    [JSON.parse('{"headers": {"__proto__": "a"}}'), "Headers key __proto__ is reserved"],
  ])("are not stored for the body %j", async (json, message) => {
    const { url } = await aWebhook();
    const answer = await ann.send("PUT", `${url}/headers`, { json });
    expect([answer.status, answer.json]).toEqual([400, { headers: [message] }]);
  });

  test("many long ones have one short complaint", async () => {
    const { put } = await aWebhook();
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, nth) => [`X-${nth}`, "v".repeat(50)]));
    expect((await put(many)).json).toEqual({ headers: ["Headers cannot have more than 20 entries"] });
  });
});

test("a rate limit is stored, shown and removed, and wrong ones are refused", async () => {
  const { url } = await aWebhook();
  const put = (json: object) => ann.send("PUT", `${url}/rate-limit`, { json });
  expect((await ann.get(`${url}/rate-limit`)).json).toEqual({ per_second: 0 });
  expect((await put({ per_second: 5 })).json).toEqual({ per_second: 5 });
  expect((await ann.get(`${url}/rate-limit`)).json).toEqual({ per_second: 5 });
  expect(Object.keys((await ann.get(url)).json)).not.toContain("rate_limit");
  for (const [json, message] of [
    [{}, "Per_second field required"],
    [{ per_second: 2.5 }, "Per_second must be a whole number from 0 to 1000"],
  ] as const) {
    const answer = await put(json);
    expect([answer.status, answer.json]).toEqual([400, { per_second: [message] }]);
  }
  expect((await put({ per_second: 0 })).json).toEqual({ per_second: 0 });
});

test("counts say how many deliveries have which status, and which of them are tests", async () => {
  const { url, emit, received } = await aWebhook({ under: "gone-" });
  const counts = async () => (await ann.get(`${url}/stats`)).json;
  const none = { pending: 0, delivered: 0, failed: 0, cancelled: 0, tests: 0, at_least: [] };
  expect(await counts()).toEqual({ since: null, ...none });
  await emit();
  await received(1);
  await ann.post(`${url}/test`, {});
  await eventually(async () =>
    expect(await counts()).toEqual({ since: expect.any(String), ...none, failed: 2, tests: 1 }),
  );
  const { json } = await ann.get(`${url}/deliveries`);
  expect((await counts()).since).toBe(json.at(-1).created_at);
});

test("outsiders can neither read nor change them", async () => {
  const { path, url } = await aWebhook();
  const bob = await ci.signUp();
  expect((await bob.get(path)).status).toBe(200);
  for (const [method, target] of [
    ["GET", `${url}/headers`],
    ["PUT", `${url}/headers`],
    ["GET", `${url}/rate-limit`],
    ["PUT", `${url}/rate-limit`],
    ["GET", `${url}/stats`],
  ] as const)
    expect((await bob.send(method, target, method === "PUT" ? { json: { headers: 5 } } : {})).status).toBe(404);
});
