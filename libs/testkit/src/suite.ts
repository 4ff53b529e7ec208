/// <reference types="jest" />
import { randomBytes } from "node:crypto";
import { removeTraces } from "./containers-down.js";

/** What a test file has to itself. */
export interface Suite {
  readonly mongoUrl: string;
  /** A database of the suite's own, and how the names of its services' databases begin: `${mongoDb}_builds`. */
  readonly mongoDb: string;
  readonly natsUrl: string;
  /** One NATS token, to begin the suite's subjects with. */
  readonly subjectPrefix: string;
}

/**
 * Names that no other test file uses, so that files run side by side on the same servers. Call it once per file,
 * outside of every hook: after the last test it removes the databases and streams whose names begin so.
 */
export function suite(): Suite {
  const { MONGO_URL: mongoUrl, NATS_URL: natsUrl, CI_TEST_RUN: run } = process.env;
  if (!mongoUrl || !natsUrl || !run) throw new Error("A suite runs under jest, whose globalSetup is containers.ts");
  const name = `t${run}_${randomBytes(4).toString("hex")}`;
  afterAll(() => removeTraces(mongoUrl, natsUrl, name));
  return { mongoUrl, mongoDb: name, natsUrl, subjectPrefix: name };
}
