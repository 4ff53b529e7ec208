import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { type Constellation, startConstellation } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";

const names = suite();
const services = ["namespaces", "builds", "images", "webhooks"] as const;

/** Starts a way to MongoDB that a test can close. */
async function aWay(mongoUrl: string) {
  const { hostname, port: mongoPort } = new URL(mongoUrl);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const there = connect(Number(mongoPort), hostname);
    for (const end of [socket, there]) {
      open.add(end);
      end
        .on("error", () => {})
        .on("close", () => {
          open.delete(end);
          socket.destroy();
          there.destroy();
        });
    }
    socket.pipe(there).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
    reopen: () => once(server.listen(port, "127.0.0.1"), "listening"),
  };
}

type Way = Awaited<ReturnType<typeof aWay>>;
let ways: Record<(typeof services)[number], Way>;
let ci: Constellation;

beforeAll(async () => {
  const all = await Promise.all(services.map(async (service) => [service, await aWay(names.mongoUrl)] as const));
  ways = Object.fromEntries(all) as typeof ways;
  const mongoUrls = Object.fromEntries(all.map(([service, { url }]) => [service, url]));
  ci = await startConstellation(names, { mongoUrls });
});
afterAll(async () => {
  await ci?.[Symbol.asyncDispose]();
  for (const way of Object.values(ways)) await way.close();
});

const health = async () => (await ci.as().get("/health")).status;

test.each(services)("is 503 while %s cannot reach MongoDB", async (service) => {
  await eventually(async () => expect(await health()).toBe(200));
  await ways[service].close();
  try {
    await eventually(async () => expect(await health()).toBe(503));
  } finally {
    await ways[service].reopen();
  }
  await eventually(async () => expect(await health()).toBe(200));
});
