import { nextJobs, type OrderedJob } from "./next-jobs.js";

const job = (stage: string, more: Partial<OrderedJob> = {}): OrderedJob => ({ stage, ...more });
const beside = (stage: string, more: Partial<OrderedJob> = {}) => job(stage, { parallel: true, ...more });
const onFailure = { skipAfterSuccess: true, runAfterFailure: true };
const always = { runAfterFailure: true };

/** Returns the groups of jobs that run, if these jobs fail. */
function run(jobs: readonly OrderedJob[], ...failing: number[]): number[][] {
  const groups = [[0]];
  for (;;) {
    const failed = groups.flat().some((index) => failing.includes(index));
    const next = nextJobs(jobs, groups.at(-1)!.at(-1)!, failed);
    if (next.length === 0) return groups;
    groups.push(next);
  }
}

const plain = [job("setup"), job("a"), job("a"), job("b")];
const conditional = [job("setup"), job("a"), job("a", onFailure), job("b"), job("b", always)];
const parallel = [job("setup"), beside("a"), beside("a"), beside("a", onFailure), beside("b"), job("c", always)];

test.each([
  ["jobs run in order", plain, [], [[0], [1], [2], [3]]],
  ["a failure ends the build", plain, [1], [[0], [1]]],
  ["a job for failures is left out", conditional, [], [[0], [1], [3], [4]]],
  ["a job for failures runs after one", conditional, [1], [[0], [1], [2], [4]]],
  ["a job for any end runs after a failure", conditional, [3], [[0], [1], [3], [4]]],
  ["nothing runs without an environment", conditional, [0], [[0]]],
  ["jobs of a parallel stage run together, apart from other stages", parallel, [], [[0], [1, 2], [4], [5]]],
  ["a failure in a parallel stage decides about later stages only", parallel, [1], [[0], [1, 2], [5]]],
])("%s", (_what, jobs, failing, expected) => {
  expect(run(jobs, ...failing)).toEqual(expected);
});
