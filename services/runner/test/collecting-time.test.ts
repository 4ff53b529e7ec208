import type { Environment } from "../src/driver.js";
import { anAssignment } from "./_assignment.js";
import { buildCollecting } from "./_collecting.js";
import { bareEnvironments } from "./_environment.js";
import { inMoreTime } from "./_suite.js";

const { runIn } = bareEnvironments();

const forever = () => new Promise<never>(() => undefined);

async function* silent() {
  yield Buffer.from("begin");
  await forever();
}

async function* whole() {
  yield Buffer.from("all");
}

async function* endlessFolder() {
  for (;;) {
    yield { path: "folder", kind: "directory" } as const;
    await new Promise(setImmediate);
  }
}

const silentList = () => ({ [Symbol.asyncIterator]: () => ({ next: forever }) });

const opened = (content: AsyncIterable<Uint8Array>, close: () => Promise<void> = async () => undefined) => ({
  open: async () => ({ sizeBytes: 3, content, close }),
});

type Files = Partial<Pick<Environment, "list" | "open">>;

test.each<[string, string, () => Files]>([
  ["whose file has no end", "file", () => opened(silent())],
  ["whose file is not opened", "file", () => ({ open: forever })],
  ["whose file is not closed", "file", () => opened(whole(), forever)],
  ["whose folder is not listed", "*", () => ({ list: silentList })],
  ["whose folder has no end", "*", () => ({ list: endlessFolder })],
])(
  "the build's timeout ends the collecting of a passed job %s, and jobs for failures run",
  async (_, source, files) => {
    const reading: AbortSignal[] = [];
    const attempt = (buildTimeoutMs: number) => {
      const assignment = buildCollecting(["make"], [source]);
      const [, clean] = anAssignment({}, ["clean"]).jobs;
      const jobs = [...assignment.jobs, { ...clean!, skipAfterSuccess: true, runAfterFailure: true }];
      const { list = silentList, open = forever } = files();
      return runIn(
        { ...assignment, jobs, buildTimeoutMs },
        {
          run: async () => 0,
          list(directory, depth, signal) {
            reading.push(signal);
            return list(directory, depth, signal);
          },
          async open(path, signal) {
            reading.push(signal);
            return open(path, signal);
          },
        },
      );
    };
    const build = await inMoreTime(attempt, ({ outcomes }) => outcomes[0] === "passed" && reading.length > 0);
    expect(build.outcomes).toEqual(["passed", "timed_out", "passed"]);
    expect(build.text).toMatch(/^Build timed out after .*\n$/m);
    expect(reading.at(-1)!.aborted).toBe(false);
  },
);
