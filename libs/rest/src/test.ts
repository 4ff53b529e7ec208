import { type BuildTest, BuildTest_Status } from "@ci/proto/builds/v1/builds";
import { z } from "zod";
import { record } from "./schema.js";

export const testSchema = record("Test", "A test case in a job's report", {
  job: z.string().describe("Name of the job"),
  suite: z.string().describe("Name of the test suite"),
  class_name: z.string().describe("Name of the class or file"),
  name: z.string().describe("Name of the test"),
  status: z.enum(BuildTest_Status).describe("How the test ended"),
  seconds: z.number().nonnegative().describe("How long the test took"),
  message: z.string().nullable().describe("Why the test did not pass; null if it passed"),
  output: z
    .string()
    .nullable()
    .describe("Beginning of the failure text and of the test's output; null if there is none"),
});

/** Returns a test case of a build. */
export const testJson = (test: BuildTest): z.output<typeof testSchema> => ({
  job: test.job,
  suite: test.suite,
  class_name: test.className,
  name: test.name,
  status: test.status,
  seconds: test.seconds,
  message: test.status === "passed" ? null : test.message,
  output: test.output === "" ? null : test.output,
});
