import { Ended } from "../endings/ended.js";
import { runAttempts } from "./attempts.js";

const never = new AbortController().signal;

/** Runs a job whose attempts end with these codes. Returns the lines, the number of attempts and the last one. */
async function attempts(retry: { times: number; codes: number[] } | undefined, codes: readonly number[]) {
  const lines: string[] = [];
  let count = 0;
  const run = async () => codes[count++]!;
  const last = await runAttempts({ retry }, { run, say: (line) => void lines.push(line), stop: never });
  return { lines, count, last };
}

test.each([
  ["no retry", undefined, [3], 1, 3],
  ["a passed script", { times: 2, codes: [] }, [0], 1, 0],
  ["a script that passes later", { times: 2, codes: [] }, [3, 0], 2, 0],
  ["a script that never passes", { times: 2, codes: [] }, [3, 4, 5, 6], 3, 5],
  ["a code of the list", { times: 5, codes: [75, 76] }, [75, 76, 1], 3, 1],
  ["a code that is not in the list", { times: 5, codes: [75] }, [1, 0], 1, 1],
])("with %s the script runs as often as it should", async (_what, retry, codes, count, exitCode) => {
  expect(await attempts(retry, codes)).toMatchObject({ count, last: { exitCode } });
});

test("each attempt is marked, if there may be several", async () => {
  expect((await attempts({ times: 2, codes: [] }, [3, 4, 0])).lines).toEqual([
    "-- attempt 1 of 3 --",
    "-- attempt 2 of 3, the last one ended with exit code 3 --",
    "-- attempt 3 of 3, the last one ended with exit code 4 --",
  ]);
  expect((await attempts(undefined, [3])).lines).toEqual([]);
});

test("after the job's own time its script ends and does not run again", async () => {
  const run = (_attempt: number, stop: AbortSignal) =>
    new Promise<number>((resolve) => stop.addEventListener("abort", () => resolve(137)));
  const job = { timeoutMs: 1, retry: { times: 5, codes: [] } };
  const { stopped } = await runAttempts(job, { run, say: () => undefined, stop: never });
  expect(stopped).toBeInstanceOf(Ended);
});
