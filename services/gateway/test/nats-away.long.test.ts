import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, type ServiceName, startProcesses } from "@ci/testkit/processes";
import { receiver } from "@ci/testkit/receiver";
import { type Stores, startStores } from "@ci/testkit/stores";

const services: readonly ServiceName[] = ["gateway", "builds", "images", "namespaces", "webhooks", "runner"];
let stores: Stores;
let ci: Processes;

beforeAll(async () => {
  stores = await startStores();
  await stores.nats.kill();
  const { mongoUrl, natsUrl } = stores;
  ci = await startProcesses({ mongoUrl, natsUrl, mongoDb: "no_nats", subjectPrefix: "no-nats" });
});
afterAll(async () => {
  await ci?.[Symbol.asyncDispose]();
  await stores?.[Symbol.asyncDispose]();
});

/** Returns the metrics of readiness and NATS connection of each service. */
const readyAndConnected = () =>
  Promise.all(
    services.map(async (name) => {
      const text = await ci.metrics(name);
      return ["ci_ready", "ci_nats_connected"].map((metric) => new RegExp(`^${metric} (.*)$`, "m").exec(text)?.[1]);
    }),
  );

async function runBuild(): Promise<void> {
  const { url } = created(await ci.api.post("/builds", { manifest: "{namespace: place, driver: {type: os}}" }));
  await eventually(async () => expect((await ci.api.get(url)).json.status).toBe("passed"));
}

const events = ["build.submitted", "build.started", "build.finished"];

test("all services start and run builds without NATS; events arrive once NATS starts, restarts or restarts empty", async () => {
  await using hook = await receiver();
  const received = () => hook.requests.map(({ headers }) => headers["x-service-ci-event"]);
  const expectEvents = (builds: number) =>
    eventually(() => expect(received().filter((event) => events.includes(String(event)))).toHaveLength(3 * builds));
  await eventually(async () => expect(await readyAndConnected()).toEqual(services.map(() => ["1", "0"])));
  created(await ci.api.post("/namespaces", { name: "place" }));
  created(await ci.api.post("/n/admin/place/-/webhooks", { payload_url: hook.url, events }));
  await runBuild();
  expect(received()).toEqual([]);
  await stores.nats.start();
  await expectEvents(1);
  expect(received().toSorted()).toEqual(events.toSorted());
  await eventually(async () => expect(await readyAndConnected()).toEqual(services.map(() => ["1", "1"])));
  for (const [nth, loseEvents] of [() => {}, () => stores.loseEvents()].entries()) {
    await stores.nats.kill();
    loseEvents();
    await runBuild();
    await eventually(async () =>
      expect((await readyAndConnected()).map(([ready]) => ready)).toEqual(services.map(() => "1")),
    );
    await stores.nats.start();
    await expectEvents(nth + 2);
  }
});
