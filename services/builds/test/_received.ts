import type { Suite } from "@ci/testkit/suite";
import { BSON, MongoClient } from "mongodb";

/** Connects to the suite's database, and counts the bytes of all responses to commands. */
export async function countingClient({ mongoUrl, mongoDb }: Suite) {
  const client = new MongoClient(mongoUrl, { monitorCommands: true, ignoreUndefined: true });
  await client.connect();
  let bytes = 0;
  client.on("commandSucceeded", ({ reply }) => {
    bytes += BSON.calculateObjectSize(reply as BSON.Document);
  });
  return { db: client.db(mongoDb), bytes: () => bytes, close: () => client.close() };
}

export type CountingClient = Awaited<ReturnType<typeof countingClient>>;
