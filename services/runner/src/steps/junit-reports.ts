import { sizeText } from "@ci/kit/bytes/size-text";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { traced } from "@ci/kit/process/trace";
import { Fault } from "@ci/kit/rpc/fault";
import { isGlob } from "@ci/manifest/glob";
import type { QueueServiceClient, TestCase, TestCounts } from "@ci/proto/builds/v1/queue";
import type { Environment, Mark, OpenedFile } from "../driver.js";
import { isConflict, reasonOf } from "../endings/errors.js";
import { retry, retryInTrouble } from "../endings/retry.js";
import type { TextMask } from "../output/texts.js";
import { isCut, type ReportedCase, type ReportedSuite, readJunit } from "./junit.js";
import { matchesOf } from "./matches.js";

const maxFileBytes = fixedLimit({
  max: 20 * 1024 ** 2,
  unit: "bytes",
  about: "test report",
  effect: "the report is not read",
});
const maxReportBytes = fixedLimit({
  max: 200 * 1024 ** 2,
  unit: "bytes",
  about: "all test reports of a job",
  effect: "further reports are not read",
});
const maxCases = fixedLimit({
  max: 20_000,
  about: "test cases of a job that are listed",
  effect: "further ones are only counted",
});
const maxTexts = fixedLimit({
  max: 4 * 1024 ** 2,
  about: "characters of messages and output of a job's test cases",
  effect: "further cases are listed without",
});
const maxName = 500;
const maxMessage = 2_048;
const maxOutput = 8_192;
const batchCases = 200;

export interface Reporting {
  readonly environment: Pick<Environment, "list" | "open">;
  readonly queue: Pick<QueueServiceClient, "putTests">;
  readonly mark: Mark;
  readonly jobId: number;
  /** Hides secrets. */
  readonly hide: (text: string) => Promise<string>;
  readonly hideIn: TextMask;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Hides secrets before texts are cut: half a secret would not be found. */
function shower(hideIn: TextMask) {
  const suites = new WeakMap<ReportedSuite, string>();
  const show = async (text: string, length: number) =>
    (await hideIn(text, isCut(text))).slice(0, length).replace(/\p{Surrogate}$/u, "");

  async function suiteName(suite: ReportedSuite): Promise<string> {
    const known = suites.get(suite);
    if (known !== undefined) return known;
    const name = await show(suite.name, maxName);
    suites.set(suite, name);
    return name;
  }

  return async (one: ReportedCase): Promise<TestCase> => ({
    ...one,
    suite: await suiteName(one.suite),
    className: await show(one.className, maxName),
    name: await show(one.name, maxName),
    message: await show(one.message, maxMessage),
    output: await show(one.output, maxOutput),
  });
}

function collector({ queue, mark: { buildId, epoch }, jobId, hideIn, signal }: Reporting) {
  const shown = shower(hideIn);
  const counts = { total: 0, failed: 0, skipped: 0, seconds: 0 };
  let waiting: TestCase[] = [];
  let sent = 0;
  let texts = 0;

  return {
    counts: (): TestCounts => counts,
    /** Returns a function that takes back what is added from now on. It works until the next `send`. */
    mark(): () => void {
      const [before, length, textsBefore] = [{ ...counts }, waiting.length, texts];
      return () => {
        Object.assign(counts, before);
        waiting.length = length;
        texts = textsBefore;
      };
    },
    async add(one: ReportedCase): Promise<void> {
      signal.throwIfAborted();
      counts.total++;
      if (one.status !== "passed") counts[one.status]++;
      counts.seconds += one.seconds;
      if (sent + waiting.length >= maxCases) return;
      const isShown = one.status !== "passed" && texts < maxTexts;
      const listed = await shown(isShown ? one : { ...one, message: "", output: "" });
      texts += listed.message.length + listed.output.length;
      waiting.push(listed);
    },
    /** Sends what has been collected, if that is a batch or the rest. */
    async send(isRest: boolean): Promise<void> {
      while (waiting.length >= (isRest ? 1 : batchCases)) {
        const cases = waiting.slice(0, batchCases);
        const batch = { buildId, epoch, jobId, from: sent, cases };
        await retry(signal, () => queue.putTests(batch, { signal }));
        waiting = waiting.slice(batchCases);
        sent += cases.length;
      }
    },
    listed: () => sent,
  };
}

async function readReport(file: OpenedFile, leftBytes: number, cases: ReturnType<typeof collector>): Promise<number> {
  try {
    const limit = Math.min(maxFileBytes, leftBytes);
    if (file.sizeBytes > limit) throw new Fault("invalid", `larger than ${sizeText(limit)}`);
    await readJunit(file.content, cases.add);
    return file.sizeBytes;
  } finally {
    await file.close();
  }
}

/** Reads the JUnit reports that a job has left. Failures are printed and fail nothing. Returns undefined without reports. */
export async function collectReports(patterns: readonly string[], on: Reporting): Promise<TestCounts | undefined> {
  if (patterns.length === 0) return undefined;
  const cases = collector(on);
  const whenAble = retryInTrouble(on.signal);
  let leftBytes = maxReportBytes;
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      on.signal.throwIfAborted();
      if (isConflict(error)) throw error;
      on.say(`report error: ${await on.hide(what)}: ${reasonOf(error)}`);
      return undefined;
    }
  };
  for (const pattern of patterns)
    await attempt(pattern, async () => {
      const files = isGlob(pattern) ? await whenAble(() => matchesOf(pattern, on)) : [pattern];
      if (files.length === 0) throw new Fault("not_found", "nothing matches");
      for (const file of files) {
        const restart = cases.mark();
        const read = () =>
          whenAble(async () => {
            restart();
            return readReport(await on.environment.open(file, on.signal), leftBytes, cases);
          });
        leftBytes -= (await attempt(file, () => traced("report", {}, read))) ?? 0;
        await cases.send(false);
      }
    });
  await attempt("tests", () => cases.send(true));
  const counts = cases.counts();
  const { total, failed, skipped } = counts;
  on.say(`Tests: ${total}, ${failed} failed, ${skipped} skipped`);
  if (total > cases.listed()) on.say(`Only the first ${cases.listed()} tests are listed`);
  return counts;
}
