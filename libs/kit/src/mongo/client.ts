import { MongoClient, type MongoClientOptions } from "mongodb";

/** Our pools have no minimum size, for which the driver would look ten times a second. It has no setting for that. */
const minPoolSizeCheckFrequencyMS = 10_000;

export function connectClient(url: string, options: MongoClientOptions): Promise<MongoClient> {
  const client = new MongoClient(url, options);
  Object.assign(client.options, { minPoolSizeCheckFrequencyMS });
  return client.connect();
}
