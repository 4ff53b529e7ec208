import { connect, createServer, type Socket } from "node:net";
import { host } from "@ci/kit/process/host";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { identityOf } from "@ci/testkit/identities";
import { freePort } from "@ci/testkit/ports";
import { suite } from "@ci/testkit/suite";
import type { Db } from "mongodb";

const own = suite();

/** Forwards connections to the tests' MongoDB. */
async function mongoAt(port: number): Promise<AsyncDisposable> {
  const { hostname, port: behind } = new URL(own.mongoUrl);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const other = connect(Number(behind), hostname);
    for (const one of [socket, other]) sockets.add(one.on("error", () => undefined));
    socket.pipe(other).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts a service whose MongoDB is at a port of its own, without anything there yet. */
async function aStart(build: (db: Db) => Promise<unknown>) {
  const [mongoPort, adminPort] = [await freePort(), await freePort()];
  const config = {
    listen: "127.0.0.1:0",
    adminListen: `127.0.0.1:${adminPort}`,
    logLevel: "silent",
    mongoUrl: `mongodb://127.0.0.1:${mongoPort}/?directConnection=true`,
    mongoDb: own.mongoDb,
    natsUrl: own.natsUrl,
    subjectPrefix: own.subjectPrefix,
    stopDelayMs: 0,
    stopGraceMs: 1_000,
    identity: identityOf("namespaces"),
  };
  const get = (path: string) => fetch(`http://127.0.0.1:${adminPort}${path}`);
  const seen = async () => [
    (await get("/healthz")).status,
    (await get("/readyz")).status,
    /^ci_ready (.*)$/m.exec(await (await get("/metrics")).text())?.[1],
  ];
  const starting = host("namespaces", config, async ({ db }) => {
    await build(db);
    return () => undefined;
  });
  starting.catch(() => undefined);
  return { mongoPort, seen, starting };
}

it("a service that waits for MongoDB shows that it is not ready, and becomes ready with it", async () => {
  const { mongoPort, seen, starting } = await aStart(async () => undefined);
  await eventually(async () => expect(await seen()).toEqual([503, 503, "0"]));
  await using _mongo = await mongoAt(mongoPort);
  await using _service = await starting;
  await eventually(async () => expect(await seen()).toEqual([200, 200, "1"]));
});

it("a service whose MongoDB goes away while it starts waits for it, and starts again with it", async () => {
  const failures: unknown[] = [];
  const begun = gate();
  const { mongoPort, seen, starting } = await aStart(async (db) => {
    await begun.pass();
    await db.command({ ping: 1 }).catch((error) => {
      failures.push(error);
      throw error;
    });
  });
  const first = await mongoAt(mongoPort);
  await begun.reached;
  await first[Symbol.asyncDispose]();
  begun.open();
  await eventually(() => expect(failures.length).toBeGreaterThan(0));
  expect(await seen()).toEqual([503, 503, "0"]);
  await using _mongo = await mongoAt(mongoPort);
  await using _service = await starting;
  await eventually(async () => expect(await seen()).toEqual([200, 200, "1"]));
});
