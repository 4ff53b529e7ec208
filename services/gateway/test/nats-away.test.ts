import { made } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, type ServiceName, startProcesses } from "@ci/testkit/processes";
import { receiver } from "@ci/testkit/receiver";
import { type Stores, startStores } from "@ci/testkit/stores";

const services: readonly ServiceName[] = ["gateway", "builds", "images", "namespaces", "webhooks", "runner"];
let stores: Stores;
let on: Processes;

beforeAll(async () => {
  stores = await startStores();
  await stores.nats.kill();
  const { mongoUrl, natsUrl } = stores;
  on = await startProcesses({ mongoUrl, natsUrl, mongoDb: "no_nats", subjectPrefix: "no-nats" });
}, 180_000);
afterAll(async () => {
  await on?.[Symbol.asyncDispose]();
  await stores?.[Symbol.asyncDispose]();
});

/** Readiness and connection of each service. */
const shown = () =>
  Promise.all(
    services.map(async (name) => {
      const text = await on.metrics(name);
      return ["ci_ready", "ci_nats_connected"].map((metric) => new RegExp(`^${metric} (.*)$`, "m").exec(text)?.[1]);
    }),
  );

async function runBuild(): Promise<void> {
  const { url } = made(await on.api.post("/builds", { manifest: "{namespace: place, driver: {type: os}}" }));
  await eventually(async () => expect((await on.api.get(url)).json.status).toBe("passed"));
}

const events = ["build.submitted", "build.started", "build.finished"];

test("all services start without NATS, do what they can, and tell the rest when it comes, comes back, or comes back empty", async () => {
  await using to = await receiver();
  const received = () => to.requests.map(({ headers }) => headers["x-service-ci-event"]);
  const expectTold = (builds: number) =>
    eventually(() => expect(received().filter((event) => events.includes(String(event)))).toHaveLength(3 * builds));
  expect(await shown()).toEqual(services.map(() => ["1", "0"]));
  made(await on.api.post("/namespaces", { name: "place" }));
  made(await on.api.post("/n/admin/place/-/webhooks", { payload_url: to.url, events }));
  await runBuild();
  expect(received()).toEqual([]);
  await stores.nats.start();
  await expectTold(1);
  expect(received().toSorted()).toEqual(events.toSorted());
  await eventually(async () => expect(await shown()).toEqual(services.map(() => ["1", "1"])));
  for (const [nth, lose] of [() => {}, () => stores.loseEvents()].entries()) {
    await stores.nats.kill();
    lose();
    await runBuild();
    expect((await shown()).map(([ready]) => ready)).toEqual(services.map(() => "1"));
    await stores.nats.start();
    await expectTold(nth + 2);
  }
});
