import { createHash, randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { openMongo } from "@ci/kit/mongo/mongo";
import { storedEvents } from "@ci/testkit/collect-events";
import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { type Store, type Stores, startStores } from "@ci/testkit/stores";
import { emit } from "./_chaos-emit.js";
import { eventName, type Receivers, startReceivers } from "./_chaos-receivers.js";

// Twenty webhooks, some with misbehaving receivers, get 5,000 events while MongoDB, NATS and the webhooks service are
// killed repeatedly. CI_CHAOS_SEED repeats a run as far as possible.

const seed = Number(process.env.CI_CHAOS_SEED ?? randomInt(1_000_000));
const mongoAs = seed % 2 === 0 ? "replica set" : "standalone";
const variables = 2_500;
const kills = 12;
const namespaces = ["one", "two", "three", "four"];
const prefix = "chaos";
const settings = {
  WEBHOOK_TIMEOUT: "5s",
  WEBHOOK_RETRIES: "2s,10s",
  LOG_LEVEL: "error",
};

let draws = 0;
/** Returns a number below `limit` that depends on the seed. */
const draw = (limit: number): number =>
  createHash("sha256").update(`${seed}/${draws++}`).digest().readUInt32BE() % limit;

let stores: Stores;
let receivers: Receivers;
let ci: Processes;

beforeAll(async () => {
  process.stderr.write(`chaos from CI_CHAOS_SEED=${seed}, MongoDB as ${mongoAs}\n`);
  [stores, receivers] = await Promise.all([startStores(mongoAs), startReceivers()]);
  const { mongoUrl, natsUrl } = stores;
  const CI_DNS_SERVERS = receivers.dns.address;
  const names = { mongoUrl, natsUrl, mongoDb: prefix, subjectPrefix: prefix };
  ci = await startProcesses(names, { ...settings, CI_DNS_SERVERS });
  await ci.addReplica("webhooks");
});
afterAll(async () => {
  await ci?.[Symbol.asyncDispose]();
  await stores?.[Symbol.asyncDispose]();
  await receivers?.[Symbol.asyncDispose]();
});

/** Creates a webhook for each receiver, distributed over the namespaces, and returns each receiver's namespace. */
async function subscribe(): Promise<Map<string, string>> {
  for (const name of namespaces) created(await ci.api.post("/namespaces", { name }));
  const namespaceOf = new Map<string, string>();
  for (const [nth, [name, payload_url]] of Object.entries(receivers.urls).entries()) {
    const namespace = namespaces[nth % namespaces.length]!;
    created(await ci.api.post(`/n/admin/${namespace}/-/webhooks`, { payload_url, events: ["variables"] }));
    namespaceOf.set(name, namespace);
  }
  return namespaceOf;
}

type Victim = "mongo" | "nats" | "first replica" | "second replica";
const victims: readonly (readonly Victim[])[] = [
  ["first replica"],
  ["mongo"],
  ["second replica"],
  ["nats"],
  ["first replica", "second replica"],
  ["nats", "first replica"],
  ["mongo", "second replica"],
];

function controlsOf(victim: Victim): Pick<Store, "kill" | "start"> {
  if (victim === "mongo" || victim === "nats") return stores[victim];
  const nth = victim === "first replica" ? 0 : 1;
  return { kill: () => ci.kill("webhooks", nth), start: () => ci.start("webhooks", nth) };
}

/** Kills and restarts processes one after the other, each for up to two seconds. */
async function killRepeatedly(): Promise<void> {
  for (let nth = 0; nth < kills; nth++) {
    // First each entry once, then random ones.
    const targets = victims[nth < victims.length ? nth : draw(victims.length)]!.map(controlsOf);
    await delay(draw(1_500));
    for (const { kill } of targets) await kill();
    await delay(draw(2_000));
    for (const { start } of targets) await start();
  }
}

/** Returns the stored events about variables by namespace, in order. */
async function eventsByNamespace(): Promise<Map<number, string[]>> {
  const events = await storedEvents({ natsUrl: stores.natsUrl, subjectPrefix: prefix }, "variables");
  const byNamespace = new Map<number, string[]>();
  for (const { namespaceId, body } of events) {
    if (body?.$case !== "variable") continue;
    const { action, variable } = body.value;
    const before = byNamespace.get(namespaceId!) ?? [];
    byNamespace.set(namespaceId!, [...before, `${variable!.id} ${action}`]);
  }
  return byNamespace;
}

interface LoggedDelivery {
  readonly event: string;
  /** Reports whether an attempt got no response. */
  readonly unanswered: boolean;
}

/** Returns the log's deliveries by receiver URL, in order. */
async function deliveriesByUrl(): Promise<Map<string, LoggedDelivery[]>> {
  await using mongo = await openMongo(stores.mongoUrl, `${prefix}_webhooks`);
  const webhooks = mongo.db.collection<{ _id: number; payloadUrl: string }>("webhooks");
  const byUrl = new Map<string, LoggedDelivery[]>();
  for (const { _id, payloadUrl } of await webhooks.find({ _id: { $gt: 0 } }).toArray()) {
    const deliveries = mongo.db.collection("deliveries").find({ webhookId: _id }).sort({ webhookId: 1, _id: 1 });
    const lines = deliveries.map(({ request, attempts }) => ({
      event: eventName(JSON.parse(request.payload)),
      unanswered: attempts.some(({ code }: { code?: number }) => code === undefined),
    }));
    byUrl.set(payloadUrl, await lines.toArray());
  }
  return byUrl;
}

test("whichever process is killed, healthy receivers get every event in order, and forbidden ones get nothing", async () => {
  const namespaceOf = await subscribe();
  const [ids] = await Promise.all([emit(ci.api, namespaces, variables), killRepeatedly()]);
  const expected = (name: string) =>
    ids
      .get(namespaceOf.get(name)!)!
      .flatMap((id) => [`${id} created`, `${id} deleted`])
      .sort();
  const receivedCount = (name: string) => new Set(receivers.received.get(name)).size;
  await eventually(
    () => {
      for (const name of receivers.healthy) expect([name, receivedCount(name)]).toEqual([name, expected(name).length]);
    },
    { everyMs: 250, progress: () => receivers.healthy.reduce((sum, name) => sum + receivedCount(name), 0) },
  );
  for (const name of receivers.healthy)
    expect([...new Set(receivers.received.get(name))].sort()).toEqual(expected(name));

  const stored = [...(await eventsByNamespace()).values()];
  const log = await deliveriesByUrl();
  for (const [name, url] of Object.entries(receivers.urls)) {
    const deliveries = log.get(url)!;
    const events = deliveries.map(({ event }) => event);
    const own = new Set(expected(name));
    expect([name, events]).toEqual([name, stored.find(([first]) => own.has(first!))]);
    // Events whose first attempt failed may arrive after later ones.
    const late = new Set(deliveries.filter(({ unanswered }) => unanswered).map(({ event }) => event));
    const firstArrivals = [...new Set(receivers.received.get(name))].filter((event) => !late.has(event));
    const arrived = new Set(firstArrivals);
    expect([name, firstArrivals]).toEqual([name, events.filter((event) => arrived.has(event))]);
  }
  expect(receivers.intrusions()).toBe(0);
  expect([receivers.received.get("rebind")!.length > 0, receivers.reboundToForbidden()]).toEqual([true, true]);
  for (const name of ["mixed", "nowhere"]) expect(receivers.received.get(name)).toEqual([]);
  // The service does not keep responses of a gigabyte in memory.
  for (const nth of [0, 1]) expect(ci.anonymousBytes("webhooks", nth)).toBeLessThan(512 * 1024 ** 2);
}, 1_800_000);
