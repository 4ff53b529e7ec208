import { eventually } from "@ci/testkit/eventually";
import { startNats } from "@ci/testkit/stores";
import { suite } from "@ci/testkit/suite";
import { connect, type NatsConnection } from "nats";
import { eventNames } from "../../rest/src/event-names.js";
import { type Bus, connectBus } from "../src/bus/bus.js";
import { natsUsers, subjectsOf } from "../src/bus/nats-users.js";
import { readers, rights, usesStream } from "../src/bus/rights.js";
import { outboxEvent } from "../src/mongo/document.js";
import { leaseOf } from "../src/mongo/lease.js";
import { openMongo } from "../src/mongo/mongo.js";
import { createLog } from "../src/process/log.js";
import type { ServiceName } from "../src/rpc/callers.js";

const services = Object.keys(rights) as ServiceName[];
const at = { prefix: "shop", drivers: ["docker", "os"] };
const passwordOf = (user: string) => `password-of-${user}`;
const log = createLog("test", "silent");
const names = suite();

let server: Awaited<ReturnType<typeof startNats>>;
let operator: NatsConnection;
beforeAll(async () => {
  server = await startNats(natsUsers(at, passwordOf));
  operator = await connectAs("ci");
});
afterAll(async () => {
  await operator.close();
  await server[Symbol.asyncDispose]();
});

const connectAs = (user: string) => connect({ servers: server.address, user, pass: passwordOf(user) });
const busOf = (service: ServiceName): Promise<Bus> =>
  connectBus(`nats://${service}:${passwordOf(service)}@${server.address}`, at.prefix, service, log);

/** Replaces wildcards, because a message has none. */
const concrete = (subject: string) => subject.replaceAll("*", "7").replace(/>$/, "7.x");

function matches(pattern: string, subject: string): boolean {
  const expression = pattern.replace(/[.$]/g, "\\$&").replaceAll("*", "[^.*>]+").replace(/>$/, ".+");
  return pattern === subject || new RegExp(`^${expression}$`).test(subject);
}

const stream = "SHOP_EVENTS";
/** Subjects that no service may use. */
const forbidden = {
  publish: [
    ...[
      "shop.events.other",
      "shop.events.build",
      "other.events.build.finished",
      "shop.nudge.other",
      "shop",
      "$SYS.REQ.x",
    ],
    ...services.map((service) => `_INBOX.${service}.7`),
    ...["STREAM.DELETE", "STREAM.MSG.GET", "STREAM.MSG.DELETE"].map((call) => `$JS.API.${call}.${stream}`),
    ...["DIRECT.GET.SHOP_EVENTS", "STREAM.CREATE.OTHER", "STREAM.NAMES", "STREAM.LIST"].map(
      (call) => `$JS.API.${call}`,
    ),
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.other`,
  ],
  subscribe: [
    ">",
    "shop.>",
    "shop.events.>",
    "shop.nudge.>",
    "_INBOX.>",
    "$JS.>",
    "$JS.API.>",
    "$SYS.>",
    "shop.nudge.queue.*",
  ],
};

/** Every subject of the table, and those of nobody. */
const candidates = (way: "publish" | "subscribe") => [
  ...new Set([...services.flatMap((service) => subjectsOf(service, at)[way].map(concrete)), ...forbidden[way]]),
];

/** Returns the subjects that the server denies to a user. */
async function denied(user: string, way: "publish" | "subscribe"): Promise<string[]> {
  const nats = await connectAs(user);
  const refused: string[] = [];
  void (async () => {
    for await (const { permissionContext } of nats.status())
      if (permissionContext?.operation === (way === "publish" ? "publish" : "subscription"))
        refused.push(permissionContext.subject);
  })();
  for (const subject of candidates(way))
    if (way === "publish") nats.publish(subject, "{}");
    else nats.subscribe(subject, { callback: () => undefined });
  // The server reports violations before it answers this.
  await nats.flush();
  await new Promise(setImmediate);
  await nats.close();
  return refused;
}

describe.each(services)("the user of %s", (service) => {
  it.each(["publish", "subscribe"] as const)("may %s its own subjects, and no others", async (way) => {
    const own = subjectsOf(service, at)[way];
    const others = candidates(way).filter((subject) => !own.some((pattern) => matches(pattern, subject)));
    expect((await denied(service, way)).sort()).toEqual(others.sort());
    expect(forbidden[way].filter((subject) => !others.includes(subject))).toEqual([]);
  });
});

it("each kind of event has one publisher, and readers see all public ones", () => {
  const published = services.flatMap((service) => rights[service].publishes ?? []);
  expect([...published].sort()).toEqual([...eventNames, "users", "tokens", "collaborators"].sort());
  expect([...readers["event-stream"].kinds].sort()).toEqual([...eventNames].sort());
  expect(services.filter((service) => !usesStream(service))).toEqual(["gateway", "runner"]);
});

it("the operator's user may do everything, and nobody may connect without a password", async () => {
  expect([await denied("ci", "publish"), await denied("ci", "subscribe")]).toEqual([[], []]);
  await expect(connect({ servers: server.address })).rejects.toThrow(/Authorization/i);
  await expect(connect({ servers: server.address, user: "builds", pass: passwordOf("images") })).rejects.toThrow(
    /Authorization/i,
  );
});

it("services exchange events and nudges with these rights, and cannot forge the events of others", async () => {
  await using mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_rights`);
  const buses = new Map<ServiceName, Bus>();
  await using _ = {
    async [Symbol.asyncDispose]() {
      for (const bus of buses.values()) await bus[Symbol.asyncDispose]();
    },
  };
  for (const service of services) buses.set(service, await busOf(service));
  const bus = (service: ServiceName) => buses.get(service)!;
  const received: string[] = [];
  const note = (by: string) => async (event: { kind: string }) => void received.push(`${by} ${event.kind}`);
  await bus("builds").subscribe("builds", readers.builds.kinds, note("builds"));
  for (const name of ["webhooks", "event-stream"] as const)
    await bus("webhooks").subscribeMany(
      name,
      readers[name].kinds,
      { lease: leaseOf(mongo.db, name) },
      async (events) => {
        for (const event of events) await note(name)(event);
      },
    );
  await bus("images").subscribe("images", readers.images.kinds, note("images"));
  await bus("webhooks").subscribe("departures", readers.departures.kinds, note("departures"));
  bus("gateway").listen("users", note("gateway"));
  for (const driver of ["docker", "qemu"])
    bus("runner").onNudge(`queue.${driver}`, () => void received.push(`runner queue.${driver}`));
  await bus("namespaces").ensureReaders();
  const anEvent = (kind: string) => outboxEvent({ kind, at: new Date(), body: undefined });

  await bus("namespaces").publish(anEvent("users"));
  await bus("namespaces").publish(anEvent("namespaces"));
  await bus("namespaces").publish(anEvent("collaborators"));
  await bus("images").publish(anEvent("images"));
  await bus("builds").publish(anEvent("build.finished"));
  for (const driver of ["qemu", "docker"]) bus("builds").nudge(`queue.${driver}`);
  const expected = [
    ...["builds users", "builds namespaces", "images namespaces", "gateway users", "runner queue.docker"],
    "departures collaborators",
    ...["webhooks users", "webhooks namespaces", "webhooks images", "webhooks build.finished"],
    ...["event-stream namespaces", "event-stream images", "event-stream build.finished"],
  ];
  await eventually(() => expect([...new Set(received)].sort()).toEqual(expected.sort()));
  await expect(bus("images").publish(anEvent("build.finished"))).rejects.toThrow(/Permissions Violation/i);
  await expect(bus("runner").publish(anEvent("build.finished"))).rejects.toThrow(/Permissions Violation/i);

  const manager = await operator.jetstreamManager();
  await eventually(async () => {
    await bus("namespaces").trim(0);
    expect((await manager.streams.info(stream)).state.messages).toBe(0);
  });
});
