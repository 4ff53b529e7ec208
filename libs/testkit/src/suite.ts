/// <reference types="jest" />
import { randomBytes } from "node:crypto";
import { removeTraces } from "./containers-down.js";

/** Names for one test file alone. */
export interface Suite {
  readonly mongoUrl: string;
  /** The suite's database, and the prefix of its services' databases, such as `${mongoDb}_builds`. */
  readonly mongoDb: string;
  readonly natsUrl: string;
  /** One NATS token, the prefix of the suite's subjects. */
  readonly subjectPrefix: string;
}

/**
 * Returns names that no other test file uses, so that files can share servers. Call it once per file, outside of every
 * hook: after the last test it removes the databases and streams with these names.
 */
export function suite(): Suite {
  const { MONGO_URL: mongoUrl, NATS_URL: natsUrl, CI_TEST_RUN: run } = process.env;
  if (!mongoUrl || !natsUrl || !run) throw new Error("A suite runs under jest, whose globalSetup is containers.ts");
  const name = `t${run}_${randomBytes(4).toString("hex")}`;
  afterAll(() => removeTraces(mongoUrl, natsUrl, name));
  return { mongoUrl, mongoDb: name, natsUrl, subjectPrefix: name };
}
