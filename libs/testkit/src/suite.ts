/// <reference types="jest" />
import { randomBytes } from "node:crypto";
import { removeTraces } from "./containers-down.js";

/** Names that only one test file uses. */
export interface Suite {
  readonly mongoUrl: string;
  /** The suite's database, and the prefix of databases such as `${mongoDb}_builds`. */
  readonly mongoDb: string;
  readonly natsUrl: string;
  readonly subjectPrefix: string;
}

/** Names the databases and streams of a test file, and removes them after its last test. Call it outside of hooks. */
export function suite(): Suite {
  const { MONGO_URL: mongoUrl, NATS_URL: natsUrl, CI_TEST_RUN: run } = process.env;
  if (!mongoUrl || !natsUrl || !run) throw new Error("A suite runs under jest, whose globalSetup is containers.ts");
  const name = `t${run}_${randomBytes(4).toString("hex")}`;
  afterAll(() => removeTraces(mongoUrl, natsUrl, name));
  return { mongoUrl, mongoDb: name, natsUrl, subjectPrefix: name };
}
