import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { type DnsServer, dnsServer } from "@ci/testkit/dns-server";

/** A request to a receiver: its event, and the number of requests before it. */
interface Sent {
  readonly event: string;
  readonly before: number;
  /** Whether this is the first request with this event. */
  readonly isFirst: boolean;
}

type Behaviour = (response: ServerResponse, sent: Sent) => void;

const ok: Behaviour = (response) => void response.end();
const status =
  (code: number, headers = {}): Behaviour =>
  (response) =>
    void response.writeHead(code, headers).end();

const gigabyte = 1024 ** 3;
const mebibyte = Buffer.alloc(1024 ** 2, "x");

/** Sends a gigabyte, or less if the client stops reading. */
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

/** Receivers that accept every event sooner or later. */
const healthy: Readonly<Record<string, Behaviour>> = {
  ...Object.fromEntries(["a", "b", "c", "d", "e", "f", "g"].map((name) => [`well-${name}`, ok])),
  "huge-a": huge,
  "huge-b": huge,
  slow: async (response) => {
    await delay(5);
    response.end();
  },
  flaky: (response, { before, isFirst }) => status(isFirst && before % 7 === 0 ? 503 : 204)(response, {} as Sent),
  dizzy: (response, sent) => (sent.isFirst && sent.before % 200 === 10 ? close : ok)(response, sent),
};

/** Lookups of a name before its address changes: some are lost with the process that made them. */
const before = 20;
const here = ["127.0.0.1"];
/** Host names: one whose address changes after some lookups, one with two addresses, one with none. */
const zone = {
  "rebind.test": [...Array<string[]>(before).fill(here), ["127.0.0.2"]],
  "mixed.test": [["127.0.0.1", "127.0.0.2"]],
};

export interface Receivers extends AsyncDisposable {
  readonly dns: DnsServer;
  /** The URL of each receiver. */
  readonly urls: Readonly<Record<string, string>>;
  readonly healthy: readonly string[];
  /** The events of each receiver by its name, in order, with repetitions. */
  readonly seen: ReadonlyMap<string, readonly string[]>;
  /** Whether a lookup has returned a forbidden address. */
  tempted(): boolean;
  /** Number of connections to the forbidden address. */
  intrusions(): number;
}

/** Identifies an event by its payload: the variable and the action. */
export const eventName = ({ action, variable }: { action: string; variable: { id: number } }) =>
  `${variable.id} ${action}`;

async function listen(host: string, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
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
  const sick: Readonly<Record<string, Behaviour>> = {
    hang,
    failing: status(500),
    close,
    drip,
    redirect: status(302, { Location: `http://127.0.0.2:${forbidden.port}/` }),
    rebind: status(500, { Connection: "close" }),
    mixed: ok,
    nowhere: ok,
  };
  const all = { ...healthy, ...sick };
  const seen = new Map<string, string[]>(Object.keys(all).map((name) => [name, []]));
  const known = new Map(Object.keys(all).map((name) => [name, new Set<string>()]));
  const open = await listen("127.0.0.1", async (request, response) => {
    response.on("error", () => undefined);
    const name = request.url!.slice(1);
    const event = eventName((await json(request).catch(() => undefined)) as never);
    const [mine, before] = [seen.get(name)!, seen.get(name)!.length];
    mine.push(event);
    const isFirst = !known.get(name)!.has(event);
    known.get(name)!.add(event);
    all[name]!(response, { event, before, isFirst });
  });
  const dns = await dnsServer(zone);
  const hosts: Record<string, string> = { rebind: "rebind.test", mixed: "mixed.test", nowhere: "nowhere.test" };
  const urlOf = (name: string) => `http://${hosts[name] ?? "127.0.0.1"}:${open.port}/${name}`;
  return {
    dns,
    urls: Object.fromEntries(Object.keys(all).map((name) => [name, urlOf(name)])),
    healthy: Object.keys(healthy),
    seen,
    tempted: () => dns.asked.filter((name) => name === "rebind.test").length > before,
    intrusions: () => intrusions,
    async [Symbol.asyncDispose]() {
      await Promise.all([open.close(), forbidden.close(), dns[Symbol.asyncDispose]()]);
    },
  };
}
