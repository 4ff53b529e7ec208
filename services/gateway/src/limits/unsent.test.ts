import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { eventually } from "@ci/testkit/eventually";
import type { Config } from "../config.js";
import { sendRecords } from "../http/records.js";
import { unsent } from "./unsent.js";

const MiB = 1024 ** 2;
const never = { windowMs: 2 ** 31 - 1, windowBytes: 1 };

/** Serves records of the size and to the user that the path names. Returns what became of each response. */
async function serving(maxBytes: number, maxBytesOfOwner: number, pace = never) {
  const held = unsent({ maxBytes, maxBytesOfOwner }, pace);
  const ends = new Map<string, string>();
  const config = { trustedProxies: [] } as Partial<Config> as Config;
  const server = createServer((request, response: ServerResponse) => {
    const [name = "", user = "", size] = request.url!.slice(1).split("/");
    ends.set(name, "open");
    const session = { user: { id: user } } as never;
    const exchange = { request, response, url: request.url!, caller: {} as never, session };
    sendRecords({ config, unsent: held }, exchange, 200, "x".repeat(Number(size)), {}).then(
      () => ends.set(name, request.socket.destroyed ? "cut" : "sent"),
      ({ status }) => {
        ends.set(name, status === 429 ? "refused" : "cut");
        if (status === 429) response.writeHead(429).end();
      },
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const sockets = new Set<ReturnType<typeof connect>>();
  return {
    ends,
    /** Sends requests in one go, and reads nothing. */
    async ask(user: string, sizeBytes: number, names: readonly string[], method = "GET") {
      const socket = connect(port, "127.0.0.1").on("error", () => undefined);
      sockets.add(socket.pause());
      socket.write(names.map((name) => `${method} /${name}/${user}/${sizeBytes} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""));
      await eventually(() => expect([...ends.keys()]).toEqual(expect.arrayContaining([...names])));
      return socket;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

test("a user whose clients take nothing gets 429 for further reading, and is cut off after a change", async () => {
  await using served = await serving(100 * MiB, 50 * MiB);
  const { ask, ends } = served;
  await ask("ann", 40 * MiB, ["a1"]);
  await ask("ann", 40 * MiB, ["a2"]);
  await ask("ann", 40 * MiB, ["a3"], "POST");
  await eventually(() => expect(Object.fromEntries(ends)).toEqual({ a1: "open", a2: "refused", a3: "cut" }));
  await ask("bob", 40 * MiB, ["b1"]);
  expect(ends.get("b1")).toBe("open");
});

test("beyond the limit of all, the user who holds most loses the first response", async () => {
  await using served = await serving(100 * MiB, 70 * MiB);
  const { ask, ends } = served;
  await ask("ann", 30 * MiB, ["a1"]);
  await ask("ann", 30 * MiB, ["a2"]);
  await ask("bob", 32 * MiB, ["b1"]);
  await ask("cy", 34 * MiB, ["c1"]);
  await eventually(() => expect(ends.get("a1")).toBe("cut"));
  expect(["a2", "b1", "c1"].map((name) => ends.get(name))).toEqual(["open", "open", "open"]);
  await ask("dan", 36 * MiB, ["d1"]);
  await eventually(() => expect(ends.get("d1")).toBe("refused"));
});

test("a response makes room once it has been taken, and a client that leaves frees its own", async () => {
  await using served = await serving(100 * MiB, 50 * MiB);
  const { ask, ends } = served;
  const [reader, leaver] = [await ask("ann", 40 * MiB, ["a1"]), await ask("bob", 20 * MiB, ["b1", "b2"])];
  reader.resume();
  await eventually(() => expect(ends.get("a1")).toBe("sent"));
  await ask("ann", 40 * MiB, ["a2"]);
  expect(ends.get("a2")).toBe("open");
  leaver.destroy();
  await eventually(() => expect(ends.get("b1")).toBe("cut"));
});

test("clients that take nothing are cut off, also those of small responses and of later ones", async () => {
  await using served = await serving(100 * MiB, 50 * MiB, { windowMs: 50, windowBytes: MiB });
  const { ask, ends } = served;
  const large = await ask("ann", 20 * MiB, ["a1", "a2"]);
  const small = await ask("bob", 60_000, ["b1"]);
  small.write("GET /s/bob/60000 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1_000));
  await eventually(() => expect(["a1", "a2"].map((name) => ends.get(name))).toEqual(["cut", "cut"]));
  for (const socket of [large, small]) {
    socket.resume();
    if (!socket.closed) await once(socket, "close");
  }
});

test("a response to HEAD holds no memory", async () => {
  await using served = await serving(MiB, MiB);
  const { ask, ends } = served;
  await ask("ann", 10 * MiB, ["a1", "a2", "a3"], "HEAD");
  await eventually(() => expect(new Set(ends.values())).toEqual(new Set(["sent"])));
});
