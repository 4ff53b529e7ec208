import { MongoClient } from "mongodb";
import { connect } from "nats";

/**
 * jest's globalTeardown: stops what containers.ts started. Servers that were already running keep running, but lose what
 * this run left in them: a service that stops after its suite's own clean-up may write once more.
 */
export default async function tearDown(): Promise<void> {
  const { MONGO_URL = "", NATS_URL = "", CI_TEST_RUN } = process.env;
  if (!globalThis.ciContainers) return removeTraces(MONGO_URL, NATS_URL, `t${CI_TEST_RUN}`);
  await Promise.all(globalThis.ciContainers.map((container) => container.stop()));
  globalThis.ciContainers = undefined;
  // In watch mode, the next run in this process must not mistake these for running servers.
  delete process.env.MONGO_URL;
  delete process.env.NATS_URL;
}

/** Removes every database whose name starts with `prefix`, and every stream with a subject that does. */
export async function removeTraces(mongoUrl: string, natsUrl: string, prefix: string): Promise<void> {
  if (!prefix) throw new Error("An empty prefix would remove everything");
  await Promise.all([dropDatabases(mongoUrl, prefix), deleteStreams(natsUrl, prefix)]);
}

async function dropDatabases(mongoUrl: string, prefix: string): Promise<void> {
  await using mongo = new MongoClient(mongoUrl);
  const { databases } = await mongo.db().admin().listDatabases({ nameOnly: true });
  const ours = databases.filter(({ name }) => name.startsWith(prefix));
  await Promise.all(ours.map(({ name }) => mongo.db(name).dropDatabase()));
}

async function deleteStreams(natsUrl: string, prefix: string): Promise<void> {
  const nats = await connect({ servers: natsUrl });
  try {
    const { streams } = await nats.jetstreamManager();
    for await (const { config } of streams.list())
      if (config.subjects?.some((subject) => subject.startsWith(prefix))) await streams.delete(config.name);
  } finally {
    await nats.close();
  }
}
