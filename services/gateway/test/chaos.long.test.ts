import { createHash, randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { openMongo } from "@ci/kit/mongo/mongo";
import { storedEvents } from "@ci/testkit/collect-events";
import { made } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { type Store, type Stores, startStores } from "@ci/testkit/stores";
import { emit } from "./_chaos-emit.js";
import { eventName, type Receivers, startReceivers } from "./_chaos-receivers.js";

// Twenty webhooks, some with the worst of receivers, get 5,000 events while MongoDB, NATS and the webhooks service are
// killed again and again. CI_CHAOS_SEED repeats a run as far as possible.

const seed = Number(process.env.CI_CHAOS_SEED ?? randomInt(1_000_000));
const variables = 2_500;
const kills = 12;
const namespaces = ["one", "two", "three", "four"];
const prefix = "chaos";
const settings = {
  WEBHOOK_TIMEOUT: "5s",
  WEBHOOK_RETRIES: "2s,10s",
  LOG_LEVEL: "error",
};

let drawn = 0;
/** A number below `limit`, from the seed. */
const draw = (limit: number): number =>
  createHash("sha256").update(`${seed}/${drawn++}`).digest().readUInt32BE() % limit;

let stores: Stores;
let receivers: Receivers;
let on: Processes;

beforeAll(async () => {
  process.stderr.write(`chaos from CI_CHAOS_SEED=${seed}\n`);
  [stores, receivers] = await Promise.all([startStores(), startReceivers()]);
  const { mongoUrl, natsUrl } = stores;
  const CI_DNS_SERVERS = receivers.dns.address;
  const names = { mongoUrl, natsUrl, mongoDb: prefix, subjectPrefix: prefix };
  on = await startProcesses(names, { ...settings, CI_DNS_SERVERS });
  await on.addReplica("webhooks");
}, 120_000);
afterAll(async () => {
  await on?.[Symbol.asyncDispose]();
  await stores?.[Symbol.asyncDispose]();
  await receivers?.[Symbol.asyncDispose]();
});

/** Creates a webhook for each receiver, spread over the namespaces; returns the namespace of each receiver. */
async function subscribe(): Promise<Map<string, string>> {
  for (const name of namespaces) made(await on.api.post("/namespaces", { name }));
  const homes = new Map<string, string>();
  for (const [nth, [name, payload_url]] of Object.entries(receivers.urls).entries()) {
    const home = namespaces[nth % namespaces.length]!;
    made(await on.api.post(`/n/admin/${home}/-/webhooks`, { payload_url, events: ["variables"] }));
    homes.set(name, home);
  }
  return homes;
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

function storeOf(victim: Victim): Pick<Store, "kill" | "start"> {
  if (victim === "mongo" || victim === "nats") return stores[victim];
  const nth = victim === "first replica" ? 0 : 1;
  return { kill: () => on.kill("webhooks", nth), start: () => on.start("webhooks", nth) };
}

/** Kills and restarts one process after the other, a few seconds each. */
async function rage(): Promise<void> {
  for (let nth = 0; nth < kills; nth++) {
    // Each of them once, then random ones.
    const each = victims[nth < victims.length ? nth : draw(victims.length)]!.map(storeOf);
    await delay(draw(1_500));
    for (const { kill } of each) await kill();
    await delay(draw(2_000));
    for (const { start } of each) await start();
  }
}

/** The stream's events about variables, in order, by namespace. */
async function emitted(): Promise<Map<number, string[]>> {
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

interface Logged {
  readonly event: string;
  /** Whether an attempt got no answer. */
  readonly unanswered: boolean;
}

/** The deliveries of the log in order, by the URL they go to. */
async function logged(): Promise<Map<string, Logged[]>> {
  await using mongo = await openMongo(stores.mongoUrl, `${prefix}_webhooks`);
  const webhooks = mongo.db.collection<{ _id: number; payloadUrl: string }>("webhooks");
  const byUrl = new Map<string, Logged[]>();
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

test("whatever is killed, every event reaches every healthy receiver in order, and reaches no other", async () => {
  const homes = await subscribe();
  const [ids] = await Promise.all([emit(on.api, namespaces, variables), rage()]);
  const expected = (name: string) =>
    ids
      .get(homes.get(name)!)!
      .flatMap((id) => [`${id} created`, `${id} deleted`])
      .sort();
  const came = (name: string) => new Set(receivers.seen.get(name)).size;
  await eventually(
    () => {
      for (const name of receivers.healthy) expect([name, came(name)]).toEqual([name, expected(name).length]);
    },
    { everyMs: 250, progress: () => receivers.healthy.reduce((sum, name) => sum + came(name), 0) },
  );
  for (const name of receivers.healthy) expect([...new Set(receivers.seen.get(name))].sort()).toEqual(expected(name));

  const order = [...(await emitted()).values()];
  const log = await logged();
  for (const [name, url] of Object.entries(receivers.urls)) {
    const deliveries = log.get(url)!;
    const events = deliveries.map(({ event }) => event);
    expect(order).toContainEqual(events);
    // Events whose first attempt failed may come after later ones.
    const late = new Set(deliveries.filter(({ unanswered }) => unanswered).map(({ event }) => event));
    const seen = [...new Set(receivers.seen.get(name))].filter((event) => !late.has(event));
    const known = new Set(seen);
    expect([name, seen]).toEqual([name, events.filter((event) => known.has(event))]);
  }
  expect(receivers.intrusions()).toBe(0);
  expect([receivers.seen.get("rebind")!.length > 0, receivers.tempted()]).toEqual([true, true]);
  for (const name of ["mixed", "nowhere"]) expect(receivers.seen.get(name)).toEqual([]);
  // Responses of a gigabyte are not kept in memory.
  for (const nth of [0, 1]) expect(on.rssBytes("webhooks", nth)).toBeLessThan(512 * 1024 ** 2);
}, 900_000);
