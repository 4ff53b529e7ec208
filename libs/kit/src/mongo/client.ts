import { MongoClient, type MongoClientOptions } from "mongodb";

/** The driver checks for a minimum size of its pools ten times a second, and has no setting for that. Ours have none. */
const minPoolSizeCheckFrequencyMS = 10_000;

export function connectClient(url: string, options: MongoClientOptions): Promise<MongoClient> {
  const client = new MongoClient(url, options);
  Object.assign(client.options, { minPoolSizeCheckFrequencyMS });
  return client.connect();
}
