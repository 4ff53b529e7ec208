import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { type DnsServer, dnsServer } from "@ci/testkit/dns-server";

/** A request to a receiver, with the number of earlier requests. */
interface Arrival {
  readonly event: string;
  readonly before: number;
  /** Whether this is the first request with this event. */
  readonly isFirst: boolean;
}

type Behaviour = (response: ServerResponse, arrival: Arrival) => void;

const ok: Behaviour = (response) => void response.end();
const status =
  (code: number, headers = {}): Behaviour =>
  (response) =>
    void response.writeHead(code, headers).end();

const gigabyte = 1024 ** 3;
const mebibyte = Buffer.alloc(1024 ** 2, "x");

/** Sends a gigabyte unless the client stops reading. */
const huge: Behaviour = (response) => {
  response.writeHead(200, { "Content-Length": gigabyte });
  const body = Readable.from(Array(gigabyte / mebibyte.length).fill(mebibyte));
  response.once("close", () => body.destroy());
  body.pipe(response);
};

/** Sends one byte at a time and never ends. */
const drip: Behaviour = async (response) => {
  response.writeHead(200, { "Content-Length": 10_000 });
  while (!response.destroyed) {
    response.write("x");
    await delay(100);
  }
};

const close: Behaviour = (response) => void response.socket?.destroy();
const hang: Behaviour = () => {};

/** Receivers that accept every event in the end. */
const healthy: Readonly<Record<string, Behaviour>> = {
  ...Object.fromEntries(["a", "b", "c", "d", "e", "f", "g"].map((name) => [`well-${name}`, ok])),
  "huge-a": huge,
  "huge-b": huge,
  slow: async (response) => {
    await delay(5);
    response.end();
  },
  flaky: (response, { before, isFirst }) => status(isFirst && before % 7 === 0 ? 503 : 204)(response, {} as Arrival),
  dizzy: (response, arrival) => (arrival.isFirst && arrival.before % 200 === 10 ? close : ok)(response, arrival),
};

/** Lookups before the address changes. Some are lost with the process that sent them. */
const lookupsBeforeRebind = 20;
const allowedAddress = ["127.0.0.1"];
/** A host name whose address changes, and one with two addresses. `nowhere.test` does not exist. */
const zone = {
  "rebind.test": [...Array<string[]>(lookupsBeforeRebind).fill(allowedAddress), ["127.0.0.2"]],
  "mixed.test": [["127.0.0.1", "127.0.0.2"]],
};

export interface Receivers extends AsyncDisposable {
  readonly dns: DnsServer;
  /** The URL of each receiver. */
  readonly urls: Readonly<Record<string, string>>;
  readonly healthy: readonly string[];
  /** All received events by the receiver's name, in order, with repetitions. */
  readonly received: ReadonlyMap<string, readonly string[]>;
  /** Reports whether a lookup has returned the forbidden address. */
  reboundToForbidden(): boolean;
  /** Returns the number of connections to the forbidden address. */
  intrusions(): number;
}

/** Identifies an event by the variable and the action of its payload. */
export const eventName = ({ action, variable }: { action: string; variable: { id: number } }) =>
  `${variable.id} ${action}`;

async function listen(host: string, handler: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(handler);
  server.listen(0, host);
  await once(server, "listening");
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { port: (server.address() as AddressInfo).port, close };
}

/** Starts twenty receivers on 127.0.0.1, good and bad ones, and a server on 127.0.0.2 that nothing may reach. */
export async function startReceivers(): Promise<Receivers> {
  let intrusions = 0;
  const forbidden = await listen("127.0.0.2", (_request, response) => {
    intrusions++;
    response.end();
  });
  const unhealthy: Readonly<Record<string, Behaviour>> = {
    hang,
    failing: status(500),
    close,
    drip,
    redirect: status(302, { Location: `http://127.0.0.2:${forbidden.port}/` }),
    rebind: status(500, { Connection: "close" }),
    mixed: ok,
    nowhere: ok,
  };
  const all = { ...healthy, ...unhealthy };
  const eventsOf = new Map<string, string[]>(Object.keys(all).map((name) => [name, []]));
  const distinct = new Map(Object.keys(all).map((name) => [name, new Set<string>()]));
  const allowed = await listen("127.0.0.1", async (request, response) => {
    response.on("error", () => undefined);
    const name = request.url!.slice(1);
    const event = eventName((await json(request).catch(() => undefined)) as never);
    const [received, before] = [eventsOf.get(name)!, eventsOf.get(name)!.length];
    received.push(event);
    const isFirst = !distinct.get(name)!.has(event);
    distinct.get(name)!.add(event);
    all[name]!(response, { event, before, isFirst });
  });
  const dns = await dnsServer(zone);
  const hosts: Record<string, string> = { rebind: "rebind.test", mixed: "mixed.test", nowhere: "nowhere.test" };
  const urlOf = (name: string) => `http://${hosts[name] ?? "127.0.0.1"}:${allowed.port}/${name}`;
  return {
    dns,
    urls: Object.fromEntries(Object.keys(all).map((name) => [name, urlOf(name)])),
    healthy: Object.keys(healthy),
    received: eventsOf,
    reboundToForbidden: () => dns.queries.filter((name) => name === "rebind.test").length > lookupsBeforeRebind,
    intrusions: () => intrusions,
    async [Symbol.asyncDispose]() {
      await Promise.all([allowed.close(), forbidden.close(), dns[Symbol.asyncDispose]()]);
    },
  };
}
