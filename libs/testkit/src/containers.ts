import { randomBytes } from "node:crypto";
import { GenericContainer, type StartedTestContainer, Wait } from "testcontainers";

declare global {
  /** Started by this run, for containers-down.ts: jest gives the two files nothing else in common. */
  var ciContainers: StartedTestContainer[] | undefined;
}

/**
 * jest's globalSetup: MongoDB and NATS once per run, in containers, unless MONGO_URL and NATS_URL name running ones.
 * The images are CI_MONGO_IMAGE (mongo:8) and CI_NATS_IMAGE (nats:2). Names the run in CI_TEST_RUN, so that the teardown
 * finds what its suites leave behind.
 */
export default async function setUp(): Promise<void> {
  process.env.CI_TEST_RUN = randomBytes(4).toString("hex");
  if (process.env.MONGO_URL && process.env.NATS_URL) return;
  const [mongo, nats] = await startBoth().catch((cause: unknown) => {
    throw new Error("The tests need Docker, or MONGO_URL and NATS_URL; `npm test` sets them up", { cause });
  });
  globalThis.ciContainers = [mongo, nats];
  process.env.MONGO_URL = `mongodb://${mongo.getHost()}:${mongo.getMappedPort(27017)}`;
  process.env.NATS_URL = `nats://${nats.getHost()}:${nats.getMappedPort(4222)}`;
}

const startBoth = async (): Promise<[StartedTestContainer, StartedTestContainer]> => {
  const mongo = await startMongo();
  try {
    return [mongo, await startNats()];
  } catch (error) {
    // jest runs no teardown after a failed setup.
    await mongo.stop();
    throw error;
  }
};

const startMongo = () =>
  new GenericContainer(process.env.CI_MONGO_IMAGE ?? "mongo:8")
    // With notablescan, a query without an index fails in tests instead of being slow in production.
    .withCommand(["--bind_ip_all", "--setParameter", "notablescan=1"])
    // In memory, no confirmed write waits for a disk. Tests of crashes start their own server.
    .withTmpFs({ "/data/db": "rw" })
    .withExposedPorts(27017)
    .withWaitStrategy(Wait.forLogMessage("Waiting for connections"))
    .start();

const startNats = () =>
  new GenericContainer(process.env.CI_NATS_IMAGE ?? "nats:2")
    .withCopyContentToContainer([{ content: "max_payload: 8MB\n", target: "/ci.conf" }])
    .withCommand(["-js", "-sd", "/tmp/nats", "-c", "/ci.conf"])
    .withExposedPorts(4222)
    .withWaitStrategy(Wait.forLogMessage("Server is ready"))
    .start();
