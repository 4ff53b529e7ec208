import type { Got } from "@ci/testkit/api";
import { type Constellation, made, startConstellation } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Stores, startStores } from "@ci/testkit/stores";
import { listen } from "./_sse.js";

const mostMs = 3_000;
/** How often an event stream checks its token. */
const tokenCheckMs = 5_000;
let stores: Stores;
let on: Constellation;

beforeAll(async () => {
  stores = await startStores();
  const { mongoUrl, natsUrl } = stores;
  on = await startConstellation(
    { mongoUrl, natsUrl, mongoDb: "away", subjectPrefix: "away" },
    { settings: { LOG_LEVEL: "error" } },
  );
  for (const ask of requests(0)) expect([200, 201, 401]).toContain((await ask()).status);
}, 120_000);
afterAll(async () => {
  await on?.[Symbol.asyncDispose]();
  await stores?.[Symbol.asyncDispose]();
});

/** Reads and writes of every service; `nth` makes names unique. */
const requests = (nth: number): (() => Promise<Got>)[] => [
  () => on.admin.get("/user"),
  () => on.admin.get("/namespaces"),
  () => on.admin.post("/namespaces", { name: `place${nth}` }),
  () => on.admin.post("/variables", { key: `VARIABLE_${nth}`, value: "x" }),
  () => on.admin.get("/variables"),
  () => on.admin.get("/objects"),
  () => on.admin.get("/builds"),
  () => on.admin.post("/builds", { manifest: "{driver: {type: os}}" }),
  () => on.admin.get("/cron"),
  () => on.admin.get("/images"),
  () => on.admin.get("/n/admin/place0/-/webhooks"),
  () => on.admin.post("/n/admin/place0/-/webhooks", { payload_url: `http://127.0.0.1:9/${nth}` }),
  () => on.admin.get("/health"),
  () => on.as("nobody-knows-this-token").get("/user"),
];

/** Sends all requests at once; returns how long the slowest took. */
async function askAll(nth: number): Promise<number> {
  const from = performance.now();
  for (const { status, headers, json } of await Promise.all(requests(nth).map((ask) => ask())))
    expect([status, headers["retry-after"], json]).toEqual([503, "2", { message: "Service unavailable" }]);
  return performance.now() - from;
}

/** Expects 503 with Retry-After from every request, soon unless this machine is busy. */
const expectAway = (nth: number) =>
  eventually(async () => {
    expect(await askAll(nth)).toBeLessThan(mostMs);
  });

/** Expects everything to work again without intervention. */
async function expectBack(nth: number): Promise<void> {
  await eventually(async () => made(await on.admin.post("/variables", { key: `BACK_${nth}`, value: "x" })));
  await eventually(async () => expect((await on.admin.get("/health")).status).toBe(200));
  await eventually(async () => {
    for (const ask of requests(nth)) expect([200, 201, 400, 401]).toContain((await ask()).status);
  });
}

test("while MongoDB is killed everything is answered 503 with Retry-After, and works again afterwards", async () => {
  await stores.mongo.kill();
  await expectAway(1);
  await expectAway(2);
  await stores.mongo.start();
  await expectBack(3);
});

test("while MongoDB says nothing on connections that stay open, too", async () => {
  stores.mongo.pause();
  try {
    await expectAway(4);
    await expectAway(5);
  } finally {
    stores.mongo.resume();
  }
  await expectBack(6);
});

test("a stream of events stays open while the token cannot be checked", async () => {
  using stream = await listen(on.admin, "/n/admin/place0/-/events");
  stores.mongo.pause();
  const until = performance.now() + tokenCheckMs + mostMs;
  try {
    await eventually(async () => {
      await askAll(200);
      expect(performance.now()).toBeGreaterThan(until);
    });
  } finally {
    stores.mongo.resume();
  }
  await expectBack(7);
  made(await on.admin.post("/variables", { key: "HEARD", value: "x", namespace: "place0" }));
  const [first] = await stream.some(1);
  expect(first!.data.variable.key).toBe("HEARD");
});

test("requests that run when MongoDB dies are answered 503 or have been done", async () => {
  const asked = Array.from({ length: 20 }, (_, nth) => requests(100 + nth).map((ask) => ask())).flat();
  // In the middle, once some have finished.
  await Promise.any(asked);
  await stores.mongo.kill();
  const statuses = new Set((await Promise.all(asked)).map(({ status }) => status));
  expect([200, 201, 401, 503]).toEqual(expect.arrayContaining([...statuses]));
  await stores.mongo.start();
  await expectBack(8);
});
