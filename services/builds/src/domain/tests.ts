import type { BuildTest } from "@ci/proto/builds/v1/builds";
import type { TestCounts } from "@ci/proto/builds/v1/queue";
import type { BuildDoc, JobDoc } from "./build.js";

/** A test case in a job's report. */
export interface TestDoc extends BuildTest {
  readonly _id: string;
  readonly buildId: number;
  /** The attempt that reported the case. Cases of earlier attempts are not shown. */
  readonly epoch: number;
  /** Orders the cases of an attempt. */
  readonly seq: number;
}

/** More than one job's maximum number of cases. */
const seqsPerJob = 1_000_000;

/** Returns the index of a job's case among all cases of an attempt. */
export const seqOf = (jobIndex: number, nth: number): number => jobIndex * seqsPerJob + nth;

/** Sums up the jobs' test reports; undefined without reports. */
export function testsOf(jobs: readonly JobDoc[]): BuildDoc["tests"] {
  const all = jobs.flatMap(({ tests }) => tests ?? []);
  if (all.length === 0) return undefined;
  const sum = (field: keyof TestCounts) => all.reduce((total, counts) => total + counts[field], 0);
  return { total: sum("total"), failed: sum("failed"), skipped: sum("skipped"), seconds: sum("seconds") };
}
