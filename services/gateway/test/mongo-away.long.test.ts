import type { ApiResponse } from "@ci/testkit/api";
import { type Constellation, created, startConstellation } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Stores, startStores } from "@ci/testkit/stores";
import { openStream } from "./_sse.js";

/** Calls between services give up after 30 s. */
const maxMs = 20_000;
/** The interval at which an event stream checks its token. */
const tokenCheckMs = 5_000;
let stores: Stores;
let ci: Constellation;

beforeAll(async () => {
  stores = await startStores();
  const { mongoUrl, natsUrl } = stores;
  ci = await startConstellation(
    { mongoUrl, natsUrl, mongoDb: "away", subjectPrefix: "away" },
    { settings: { LOG_LEVEL: "error" } },
  );
  for (const send of requests(0)) expect([200, 201, 401]).toContain((await send()).status);
});
afterAll(async () => {
  await ci?.[Symbol.asyncDispose]();
  await stores?.[Symbol.asyncDispose]();
});

/** Returns reads and writes of every service. `nth` makes names unique. */
const requests = (nth: number): (() => Promise<ApiResponse>)[] => [
  () => ci.admin.get("/user"),
  () => ci.admin.get("/namespaces"),
  () => ci.admin.post("/namespaces", { name: `place${nth}` }),
  () => ci.admin.post("/variables", { key: `VARIABLE_${nth}`, value: "x" }),
  () => ci.admin.get("/variables"),
  () => ci.admin.get("/objects"),
  () => ci.admin.get("/builds"),
  () => ci.admin.post("/builds", { manifest: "{driver: {type: os}}" }),
  () => ci.admin.get("/cron"),
  () => ci.admin.get("/images"),
  () => ci.admin.get("/n/admin/place0/-/webhooks"),
  () => ci.admin.post("/n/admin/place0/-/webhooks", { payload_url: `http://127.0.0.1:9/${nth}` }),
  () => ci.admin.get("/health"),
  () => ci.as("nobody-knows-this-token").get("/user"),
];

/** Sends all requests at once, expects 503 and returns the duration of the slowest. */
async function sendAll(nth: number): Promise<number> {
  const from = performance.now();
  for (const { status, headers, json } of await Promise.all(requests(nth).map((send) => send())))
    expect([status, headers["retry-after"], json]).toEqual([503, "2", { message: "Service unavailable" }]);
  return performance.now() - from;
}

/** Expects 503 with Retry-After for every request within `maxMs`, and retries on a busy machine. */
const expectAway = (nth: number) =>
  eventually(async () => {
    expect(await sendAll(nth)).toBeLessThan(maxMs);
  });

/** Expects that everything works again without intervention. */
async function expectBack(nth: number): Promise<void> {
  await eventually(async () => created(await ci.admin.post("/variables", { key: `BACK_${nth}`, value: "x" })));
  await eventually(async () => expect((await ci.admin.get("/health")).status).toBe(200));
  await eventually(async () => {
    for (const send of requests(nth)) expect([200, 201, 400, 401]).toContain((await send()).status);
  });
}

test("while MongoDB is down every request gets 503 with Retry-After; afterwards everything works again", async () => {
  await stores.mongo.kill();
  await expectAway(1);
  await expectAway(2);
  await stores.mongo.start();
  await expectBack(3);
});

test("while MongoDB hangs with open connections every request gets 503; afterwards everything works again", async () => {
  await stores.mongo.pause();
  try {
    await expectAway(4);
    await expectAway(5);
  } finally {
    stores.mongo.resume();
  }
  await expectBack(6);
});

test("a stream of events stays open while the token cannot be checked", async () => {
  using stream = await openStream(ci.admin, "/n/admin/place0/-/events");
  await stores.mongo.pause();
  // Longer than all attempts at a stream that has not begun take.
  const until = performance.now() + tokenCheckMs + 2 * maxMs;
  try {
    await eventually(async () => {
      await sendAll(200);
      expect(performance.now()).toBeGreaterThan(until);
    });
  } finally {
    stores.mongo.resume();
  }
  await expectBack(7);
  created(await ci.admin.post("/variables", { key: "HEARD", value: "x", namespace: "place0" }));
  const [first] = await stream.waitFor(1);
  expect(first!.data.variable.key).toBe("HEARD");
});

test("requests that run when MongoDB is killed succeed or get 503", async () => {
  const pending = Array.from({ length: 20 }, (_, nth) => requests(100 + nth).map((send) => send())).flat();
  // In the middle, once some have finished.
  await Promise.any(pending);
  await stores.mongo.kill();
  const statuses = new Set((await Promise.all(pending)).map(({ status }) => status));
  expect([200, 201, 401, 503]).toEqual(expect.arrayContaining([...statuses]));
  await stores.mongo.start();
  await expectBack(8);
});
