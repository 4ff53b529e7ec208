import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { engineHost } from "./_docker.js";

/** A way to the engine that a test can disturb. */
export interface EngineProxy extends AsyncDisposable {
  readonly host: string;
  /** How many connections were refused. */
  readonly refused: number;
  /** How many streams of events were asked for. */
  readonly watched: number;
  /** How many requests and responses have been held back. */
  readonly held: number;
  /** Ends all connections, with or without an error, or only those that have sent this text. */
  cut(how?: "end" | "reset", sent?: string): void;
  /** Accepts connections and passes nothing on, or refuses them, or works again. */
  become(state: "silent" | "refusing" | "open"): void;
  /** From now on passes on nothing to a client that has sent this text. */
  withhold(text: string): void;
}

const connectEngine = (): Socket => {
  const { protocol, hostname, port, pathname } = new URL(engineHost);
  return protocol === "unix:" ? connect(pathname) : connect(Number(port), hostname);
};

export async function engineProxy(): Promise<EngineProxy> {
  const clients = new Set<Socket>();
  let isOpen = Promise.resolve();
  let release = () => {};
  let state: Parameters<EngineProxy["become"]>[0] = "open";
  let refused = 0;
  let held = 0;
  let watched = 0;
  let withheld: string | undefined;
  const requests = new Map<Socket, string>();
  /** Connections whose responses are withheld. */
  const mute = new Set<Socket>();

  function pass(from: Socket, to: Socket, isRequest: boolean): void {
    from.on("data", (bytes) => {
      if (state === "silent") held++;
      if (isRequest) requests.set(from, (requests.get(from) ?? "") + bytes.toString("latin1"));
      if (isRequest && bytes.includes("GET /events?")) watched++;
      if (isRequest && withheld !== undefined && bytes.includes(withheld)) mute.add(to);
      if (!mute.has(from)) void isOpen.then(() => to.write(bytes));
    });
    from.on("error", () => to.destroy()).on("close", () => void isOpen.then(() => to.destroySoon()));
  }

  const server = createServer((client) => {
    if (state === "refusing") {
      refused++;
      return void client.resetAndDestroy();
    }
    const engine = connectEngine();
    clients.add(client.on("close", () => clients.delete(client)));
    pass(client, engine, true);
    pass(engine, client, false);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const cut = (how: "end" | "reset" = "end", sent = "") => {
    for (const one of clients)
      if ((requests.get(one) ?? "").includes(sent)) how === "end" ? one.end() : one.resetAndDestroy();
  };
  return {
    host: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get refused() {
      return refused;
    },
    get watched() {
      return watched;
    },
    get held() {
      return held;
    },
    cut,
    withhold(text) {
      withheld = text;
    },
    become(next) {
      release();
      state = next;
      if (state === "refusing") cut("reset");
      if (state !== "silent") return;
      isOpen = new Promise((resolve) => {
        release = resolve;
      });
    },
    async [Symbol.asyncDispose]() {
      release();
      cut("reset");
      server.close();
    },
  };
}
