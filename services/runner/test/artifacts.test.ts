import { buildCollecting } from "./_collecting.js";
import { bootRunner, inMoreTime } from "./_suite.js";

const { run } = bootRunner();

const lines = (text: string) => text.split("\n").filter((line) => /^(Collecting|artifact)/.test(line));

test("the runner collects files after the job, under their given names", async () => {
  const assignment = buildCollecting(
    ["mkdir d", "printf one > d/a", "printf two > $HOME/b", "pwd"],
    ["d/a => first", "./b"],
  );
  const { artifacts, text, outcomes } = await run(assignment);
  expect(
    artifacts.map(({ header, content }) => [header.artifactId, header.source, header.name, content.toString()]),
  ).toEqual([
    [assignment.jobs[1]!.artifacts[0]!.id, undefined, undefined, "one"],
    [assignment.jobs[1]!.artifacts[1]!.id, undefined, undefined, "two"],
  ]);
  expect(lines(text)).toEqual(["Collecting artifact d/a => first", "Collecting artifact ./b => b"]);
  expect(outcomes).toEqual(["passed", "passed"]);
});

test("the runner collects files of a failed job too", async () => {
  const { artifacts, outcomes } = await run(buildCollecting(["echo x > a", "false"], ["a"]));
  expect(artifacts.length).toBe(1);
  expect(outcomes).toEqual(["passed", "failed"]);
});

test("the runner collects one artifact per match of a glob, in lexical order", async () => {
  const commands = [
    "mkdir -p out/sub out/a out/folder.txt",
    "touch out/b.txt out/a-b.txt out/a/c.txt out/sub/d.txt out/e.log out/.f.txt",
  ];
  const { artifacts, text } = await run(
    buildCollecting(commands, ["out/**/*.txt", "out/*.log => log-*", "out/*.txt => same"]),
  );
  expect(artifacts.map(({ header }) => [header.source, header.name])).toEqual([
    ["out/a-b.txt", "a-b.txt"],
    ["out/a/c.txt", "c.txt"],
    ["out/b.txt", "b.txt"],
    ["out/sub/d.txt", "d.txt"],
    ["out/e.log", "log-e.log"],
    ["out/a-b.txt", "a-b.txt"],
    ["out/b.txt", "b.txt"],
  ]);
  expect(lines(text)[0]).toBe("Collecting artifact out/a-b.txt => a-b.txt");
  expect(text).not.toContain("artifact error");
});

test("an artifact that cannot be collected prints its reason and does not fail the job", async () => {
  const commands = [
    "mkdir dir",
    "mkfifo pipe",
    "head -c 2000 /dev/zero > large",
    "head -c 1024 /dev/zero > fits",
    "ln -s none broken",
  ];
  const entries = ["none", "dir", "pipe", "large", "broken", "*.none", "p*", "fits"];
  const { artifacts, text, outcomes } = await run(buildCollecting(commands, entries, 1_024));
  expect(lines(text).filter((line) => line.startsWith("artifact"))).toEqual([
    "artifact error: none: not found",
    "artifact error: dir: not a regular file",
    "artifact error: pipe: not a regular file",
    "artifact error: large: larger than 1 KiB",
    "artifact error: broken: not found",
    "artifact error: *.none: nothing matches",
    "artifact error: pipe: not a regular file",
  ]);
  expect(artifacts.map(({ content }) => content.length)).toEqual([1_024]);
  expect(outcomes).toEqual(["passed", "passed"]);
});

test("the message of a too large artifact gives a limit of whole MiB in MiB", async () => {
  const { text } = await run(buildCollecting(["head -c 3000000 /dev/zero > large"], ["large"], 2 * 1024 ** 2));
  expect(lines(text)[1]).toBe("artifact error: large: larger than 2 MiB");
});

test("the runner collects nothing after a timeout", async () => {
  const assignment = () => buildCollecting(["echo x > a; sleep 1000; :"], ["a"]);
  const { artifacts, outcomes } = await inMoreTime(
    (buildTimeoutMs) => run({ ...assignment(), buildTimeoutMs }),
    ({ outcomes }) => outcomes.length > 1,
  );
  expect({ artifacts, outcomes }).toEqual({ artifacts: [], outcomes: ["passed", "timed_out"] });
});
