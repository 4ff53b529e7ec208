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

/** Call it once per file, outside of every hook. It removes the suite's databases and streams after the last test. */
export function suite(): Suite {
  const { MONGO_URL: mongoUrl, NATS_URL: natsUrl, CI_TEST_RUN: run } = process.env;
  if (!mongoUrl || !natsUrl || !run) throw new Error("A suite runs under jest, whose globalSetup is containers.ts");
  const name = `t${run}_${randomBytes(4).toString("hex")}`;
  afterAll(() => removeTraces(mongoUrl, natsUrl, name));
  return { mongoUrl, mongoDb: name, natsUrl, subjectPrefix: name };
}
