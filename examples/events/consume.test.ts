import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type Bus, connectBus } from "@ci/kit/bus/bus";
import { type OutboxEvent, outboxEvent } from "@ci/kit/mongo/document";
import { createLog } from "@ci/kit/process/log";
import { Build } from "@ci/proto/builds/v1/builds";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";

const names = suite();
let bus: Bus;
beforeAll(async () => {
  bus = await connectBus(names.natsUrl, names.subjectPrefix, "builds", createLog("test", "silent"));
});
afterAll(() => bus[Symbol.asyncDispose]());

const anEvent = (kind: string, buildId: number, seq: number): OutboxEvent =>
  outboxEvent({
    kind,
    at: new Date(),
    buildId,
    seq,
    body: { $case: "build", value: Build.fromPartial({ id: buildId }) },
  });

/** Runs the example. `printed` compares its lines from the event's kind on. */
function startConsumer(...args: string[]) {
  const env = { ...process.env, NATS_URL: names.natsUrl, SUBJECT_PREFIX: names.subjectPrefix };
  const child: ChildProcess = spawn(process.execPath, [join(__dirname, "consume.mjs"), ...args], { env });
  let output = "";
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (text) => (output += text));
  const lines = () =>
    output
      .split("\n")
      .slice(0, -1)
      .map((line) => line.replace(/^\d+ \d{4}-\S+Z /, ""));
  return {
    printed: (wanted: readonly string[]) => eventually(() => expect(lines()).toEqual(wanted)),
    async end(signal: NodeJS.Signals) {
      child.kill(signal);
      return once(child, "exit");
    },
  };
}

test("the example continues where it stopped, recognizes duplicates and reports missing events", async () => {
  const [submitted, started, finished] = ["submitted", "started", "finished"].map((name, nth) =>
    anEvent(`build.${name}`, 7, nth + 1),
  ) as [OutboxEvent, OutboxEvent, OutboxEvent];
  for (const event of [submitted, started]) await bus.publish(event);
  const first = startConsumer("team", "build.*");
  await first.printed(["build.submitted build 7 seq 1 (new)", "build.started build 7 seq 2 (new)"]);
  expect(await first.end("SIGTERM")).toEqual([0, null]);

  // Under another message id the stream stores a duplicate, as it would after two minutes.
  for (const event of [finished, { ...finished, id: "again" }, anEvent("build.pinned", 7, 6)]) await bus.publish(event);
  await bus.publish(outboxEvent({ kind: "objects", at: new Date(), body: undefined }));
  const second = startConsumer("team", "build.*");
  const earlier = [
    "build.finished build 7 seq 3 (new)",
    "build.finished build 7 seq 3 (again)",
    "build.pinned build 7 seq 6 (new, but 2 missing before it)",
  ];
  await second.printed(earlier);
  await bus.publish(anEvent("build.submitted", 8, 1));
  await second.printed([...earlier, "build.submitted build 8 seq 1 (new)"]);
  await second.end("SIGKILL");

  const all = startConsumer("others");
  await all.printed([
    "build.submitted build 7 seq 1 (new)",
    "build.started build 7 seq 2 (new)",
    ...earlier,
    "objects (new)",
    "build.submitted build 8 seq 1 (new)",
  ]);
  await all.end("SIGTERM");
});
