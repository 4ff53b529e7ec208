import { createHmac } from "node:crypto";
import { aBuild, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Receiver, receiver } from "@ci/testkit/receiver";

const ci = constellation();
const time = expect.stringMatching(/Z$/);
const events = [
  "build.submitted",
  "build.started",
  "build.finished",
  "build.tagged",
  "build.pinned",
  "build.unpinned",
  "invite.sent",
  "invite.accepted",
  "invite.rejected",
  "namespaces",
  "cron",
  "images",
  "objects",
  "variables",
  "ssh_keys",
];
let ann: SignedUp;
let inbox: Receiver;
beforeAll(async () => {
  ann = await ci.signUp();
  inbox = await receiver();
});
afterAll(() => inbox[Symbol.asyncDispose]());

/** Creates a namespace of ann's with a webhook to a unique path. */
async function aWebhook(fields: object = {}) {
  const namespace = aWord("ns");
  const root = created(await ann.post("/namespaces", { name: namespace, visibility: "public" }));
  const path = `/n/${ann.username}/${namespace}`;
  const payload_url = `${inbox.url}/${namespace}`;
  const record = created(await ann.post(`${path}/-/webhooks`, { payload_url, ...fields }));
  const received = () => inbox.requests.filter((request) => request.path === `/${namespace}`);
  return { namespace, root, path, record, received };
}

describe("succeeds", () => {
  test("returns every field of a new webhook", async () => {
    const { root, path, record } = await aWebhook({ secret: "s" });
    const { parent, build, ...copy } = root;
    expect(record).toEqual({
      id: expect.any(Number),
      author_id: ann.id,
      user_id: ann.id,
      namespace_id: root.id,
      payload_url: expect.stringContaining(inbox.url),
      ssl: false,
      events,
      filter: null,
      active: true,
      disabled_reason: null,
      created_at: time,
      url: `${ci.url}${path}/-/webhooks/${record.id}`,
      namespace: copy,
      last_response: null,
    });
    expect((await ann.get(record.url)).json).toEqual(record);
    expect((await ann.get(`${path}/-/webhooks`)).json).toEqual([record]);
  });

  test("changes only the given fields", async () => {
    const { record } = await aWebhook({ events: ["objects", "cron"], active: false });
    expect(record).toMatchObject({ events: ["cron", "objects"], active: false });
    const { status, json } = await ann.patch(record.url, { payload_url: "", secret: "", active: true });
    expect([status, json]).toEqual([200, { ...record, active: true }]);
    expect((await ann.patch(record.url, { events: [] })).json.events).toEqual(events);
  });

  test("deletes a webhook", async () => {
    const { record } = await aWebhook();
    expect(await ann.delete(record.url)).toMatchObject({ status: 204, text: "" });
    expect((await ann.get(record.url)).status).toBe(404);
  });
});

describe("deliveries", () => {
  test("contain the record as the API returns it, are signed and logged, and are sent again on request", async () => {
    const { namespace, record, received } = await aWebhook({ secret: "hush", events: ["build.submitted"] });
    const build = created(await ann.post("/builds", aBuild({ namespace })));
    const [request] = await eventually(() => {
      expect(received()).toHaveLength(1);
      return received();
    });
    const body = request!.body;
    expect(JSON.parse(body.toString())).toEqual(build);
    const hmac = createHmac("sha256", "hush").update(body).digest("hex");
    expect(request!.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-service-ci-event": "build.submitted",
      "x-service-ci-hook-id": String(record.id),
      "x-service-ci-signature": `sha256=${hmac}`,
    });
    const [short] = await eventually(async () => {
      const { json } = await ann.get(`${record.url}/deliveries`);
      expect(json).toMatchObject([{ status: "delivered" }]);
      return json;
    });
    expect(short).toEqual({
      id: expect.any(Number),
      delivery_id: request!.headers["x-service-ci-delivery"],
      event_id: expect.any(String),
      event: "build.submitted",
      status: "delivered",
      code: 200,
      error: null,
      duration: expect.any(Number),
      attempt_count: 1,
      next_attempt_at: null,
      created_at: time,
      url: `${record.url}/deliveries/${short.id}`,
    });
    const full = (await ann.get(short.url)).json;
    expect(full).toEqual({
      ...short,
      request: {
        headers: expect.objectContaining({ "X-Service-CI-Event": "build.submitted" }),
        payload: body.toString(),
      },
      response: { code: 200, headers: expect.any(Object), body: "", truncated: false },
      attempts: [
        { number: 1, redelivery: false, code: 200, duration: expect.any(Number), error: null, created_at: time },
      ],
    });
    // The webhook's record changes after the delivery's.
    await eventually(async () =>
      expect((await ann.get(record.url)).json.last_response).toMatchObject({
        code: 200,
        error: null,
        created_at: time,
      }),
    );
    const again = await ann.post(`${short.url}/redeliver`);
    expect(again).toMatchObject({ status: 202, json: { id: short.id, status: "pending" } });
    await eventually(() => expect(received()).toHaveLength(2));
    expect(received()[1]!.body.equals(body)).toBe(true);
  });
});

describe("a test", () => {
  test("sends a signed example, marked as one, to an inactive webhook", async () => {
    const { record, received } = await aWebhook({ events: ["cron", "variables"], active: false, secret: "s" });
    const { status, json } = await ann.post(`${record.url}/test`, { event: "variables" });
    expect([status, json]).toMatchObject([202, { event: "variables", status: "pending", attempts: [] }]);
    expect(json.request.headers).toMatchObject({ "X-Service-CI-Test": "true" });
    await eventually(() => expect(received()).toHaveLength(1));
    const [{ headers, body }] = received() as [Receiver["requests"][number]];
    expect(headers).toMatchObject({ "x-service-ci-test": "true", "x-service-ci-delivery": json.delivery_id });
    expect(headers["webhook-signature"]).toMatch(/^v1,/);
    expect(body.toString()).toBe(json.request.payload);
    await eventually(async () => expect((await ann.get(json.url)).json.status).toBe("delivered"));
    // Without a body it is the webhook's first event.
    expect((await ann.send("POST", `${record.url.slice(ci.url.length)}/test`, {})).json).toMatchObject({
      event: "cron",
    });
  });

  test.each([
    [{ event: "nope" }, "Event unknown event nope"],
    [{ event: 5 }, "Event must be a string"],
  ])("is not sent for the body %j", async (body, message) => {
    const { record } = await aWebhook();
    const { status, json } = await ann.post(`${record.url}/test`, body);
    expect([status, json]).toEqual([400, { event: [message] }]);
  });
});

describe("failed deliveries", () => {
  test("are the only ones that are sent again since a time", async () => {
    const { namespace, record, received } = await aWebhook({ events: ["variables"] });
    await ann.post("/variables", { namespace, key: "A", value: "v" });
    await eventually(() => expect(received()).toHaveLength(1));
    const { status, json } = await ann.post(`${record.url}/redeliver`, { since: record.created_at });
    // No delivery has failed.
    expect([status, json]).toEqual([202, { count: 0, at_least: false }]);
    expect((await ann.get(`${record.url}/deliveries?status=failed`)).json).toEqual([]);
  });

  test("are listed on their own", async () => {
    await using gone = await receiver({ answer: () => ({ status: 410 }) });
    const { namespace, record } = await aWebhook({ payload_url: gone.url });
    await ann.post("/variables", { namespace, key: "A", value: "v" });
    const listed = (status: string) => ann.get(`${record.url}/deliveries?status=${status}`);
    await eventually(async () =>
      expect((await listed("failed")).json).toMatchObject([{ event: "variables", status: "failed", code: 410 }]),
    );
    expect(await listed("delivered")).toMatchObject({ status: 400, json: { status: ["Status must be failed"] } });
  });

  test.each([
    [{}, "Since field required"],
    [{ since: "yesterday" }, "Since must be an RFC3339 timestamp"],
    [{ since: 5 }, "Since must be an RFC3339 timestamp"],
  ])("are not sent again for the body %j", async (body, message) => {
    const { record } = await aWebhook();
    const { status, json } = await ann.post(`${record.url}/redeliver`, body);
    expect([status, json]).toEqual([400, { since: [message] }]);
  });
});

describe("missed events", () => {
  test("are sent to a webhook once it is turned on", async () => {
    const { namespace, record, received } = await aWebhook({ events: ["variables"], active: false });
    await ann.post("/variables", { namespace, key: "A", value: "v" });
    const since = record.created_at;
    expect(await ann.post(`${record.url}/replay`, { since })).toMatchObject({
      status: 400,
      json: { active: ["Active must be true: turn the webhook on first"] },
    });
    await ann.patch(record.url, { active: true });
    const { status, json } = await ann.post(`${record.url}/replay`, { since });
    expect([status, json]).toEqual([202, { count: expect.any(Number), at_least: false }]);
    await eventually(() => expect(received()).toHaveLength(1));
  });

  test.each([
    [{}, "Since field required"],
    [{ since: "yesterday" }, "Since must be an RFC3339 timestamp"],
  ])("are not sent for the body %j", async (body, message) => {
    const { record } = await aWebhook();
    const { status, json } = await ann.post(`${record.url}/replay`, body);
    expect([status, json]).toEqual([400, { since: [message] }]);
  });
});

describe("invalid", () => {
  test.each([
    [{}, { payload_url: ["Payload URL field required"] }],
    [
      { payload_url: "ftp://a.test", events: ["nope"], secret: "x".repeat(256) },
      {
        payload_url: ["Payload URL missing http or https scheme"],
        events: ["Events unknown event nope"],
        secret: ["Secret cannot be longer than 255 characters in length"],
      },
    ],
    [
      { payload_url: "https://a.test", ssl: "yes", active: 1, events: "all" },
      {
        ssl: ["Ssl must be a boolean"],
        active: ["Active must be a boolean"],
        events: ["Events must be an array of strings"],
      },
    ],
  ])("rejects %j", async (body, fields) => {
    const { path } = await aWebhook();
    const { status, json } = await ann.post(`${path}/-/webhooks`, body);
    expect({ status, json }).toEqual({ status: 400, json: fields });
  });
});

describe("not_found", () => {
  test("for users who can only view the namespace, whatever the body", async () => {
    const { path, record } = await aWebhook();
    const bob = await ci.signUp();
    expect((await bob.get(path)).status).toBe(200);
    const below = record.url.slice(ci.url.length);
    for (const [method, target] of [
      ["GET", `${path}/-/webhooks`],
      ["POST", `${path}/-/webhooks`],
      ["GET", below],
      ["PATCH", below],
      ["DELETE", below],
      ["GET", `${below}/deliveries`],
      ["GET", `${below}/deliveries/1`],
      ["POST", `${below}/deliveries/1/redeliver`],
      ["POST", `${below}/redeliver`],
      ["POST", `${below}/replay`],
      ["POST", `${below}/test`],
    ] as const) {
      const content = method === "PATCH" || method === "POST" ? { json: { active: 5 } } : {};
      expect([method, target, (await bob.send(method, target, content)).status]).toEqual([method, target, 404]);
    }
    expect((await ann.patch(`${path}/-/webhooks/999999`, { active: 5 })).status).toBe(404);
    expect((await ann.get(`${below}/deliveries/999999`)).status).toBe(404);
  });

  test("for a webhook of another namespace", async () => {
    const [first, second] = [await aWebhook(), await aWebhook()];
    expect((await ann.get(`${first.path}/-/webhooks/${second.record.id}`)).status).toBe(404);
  });
});
