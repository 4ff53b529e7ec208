import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { constellation, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type GitServer, gitServer } from "@ci/testkit/git-server";
import { notRun } from "@ci/testkit/not-run";

const image = process.env.CI_TEST_IMAGE;
const disks = process.env.CI_TEST_DISKS;
const drivers = ["os", ...(image ? ["docker"] : [])];
if (!image) notRun("the examples with the docker driver", "no Docker Engine");
if (!disks) notRun("the examples with the qemu driver", "no disk for a virtual machine");
const dir = mkdtempSync(join(tmpdir(), "ci-examples-"));
const services = constellation({
  runner: true,
  settings: {
    RUNNER_DRIVERS: [...drivers, ...(disks ? ["qemu"] : [])].join(","),
    ...{ PATH: process.env.PATH ?? "", OS_PATH: process.env.PATH ?? "" },
    ...{ QEMU_ACCEL: "tcg", QEMU_MEMORY: "256MiB", RUNNER_IMAGES_DIR: join(dir, "images"), QEMU_KEEP_LIMIT: "1s" },
  },
});

let user: SignedUp;
let server: GitServer;
beforeAll(async () => {
  [user, server] = await Promise.all([services.signUp(), gitServer()]);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

const secret = "correct horse battery staple";
const greeting = "Greetings from an object\n";

/** Makes a repository with a project's files in one commit with a tag. */
async function repository(project: string, tag: string): Promise<string> {
  const folder = join(__dirname, project);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  const { url, commit, git } = await server.repository(`${randomUUID()}.git`);
  await git("symbolic-ref", "HEAD", "refs/heads/main");
  await git("tag", tag, await commit(files, "refs/heads/main", "The first commit"));
  return url;
}

/** The examples with a source: the cloned project, its tag, and the required programs besides git. */
const sources: Readonly<Record<string, readonly [project: string, tag: string, ...tools: string[]]>> = {
  "source.yml": ["projects/node", "v1.0"],
  "source-options.yml": ["projects/node", "v1.0"],
  "node.yml": ["projects/node", "v1.0", "npm"],
  "c.yml": ["projects/c", "v1.0", "cc", "make"],
};

/** Examples that need what the small image lacks. */
const tools: Readonly<Record<string, readonly string[]>> = { "shell.yml": ["bash"] };

const isInstalled = (tool: string) =>
  spawnSync("/bin/sh", ["-c", `command -v ${tool}`], { env: { PATH: process.env.PATH } }).status === 0;

const uploadDisk = () =>
  user.send("POST", "/images?name=debian-12", { body: readFileSync(join(disks ?? "", "keyed.qcow2")) });

/** How to prepare an example, and its expected result. */
interface Expected {
  readonly before?: () => Promise<unknown>;
  readonly status: string;
  readonly output?: RegExp;
  readonly never?: string;
  /** The text of each artifact. Undefined allows any text; null means that it is not collected. */
  readonly artifacts?: Readonly<Record<string, string | null | undefined>>;
}

const expected: Readonly<Record<string, Expected>> = {
  "allowed-failure.yml": { status: "passed_with_failures", output: /the build continues\n/ },
  "hello.yml": {
    status: "passed",
    output: /Hello from build number one\n/,
    artifacts: { "greeting.txt": "Hello from build number one\n" },
  },
  "retry.yml": { status: "passed", output: /-- attempt 3 of 3, .*it works at last\n/s },
  "parallel.yml": { status: "passed", artifacts: { "report.txt": "lint\nunit\n" } },
  "concurrency.yml": { status: "passed", artifacts: { "deployed.txt": undefined } },
  "cleanup.yml": {
    status: "failed",
    output: /collected\n.*cleaned up\nBuild failed: exit code 3\n$/s,
    artifacts: { "log.txt": "expected 4, got 5\n" },
  },
  "variables.yml": { status: "passed", output: /Hello to all of you\n/ },
  "matrix.yml": {
    status: "passed",
    artifacts: { "report.txt": "version 1 works\nversion 2 works\nversion 3 works\n" },
  },
  "versions.yml": { status: "passed", output: /tested 1\.36, fast\n/ },
  "artifacts.yml": {
    status: "passed",
    output: /artifact error: out\/forgotten\.txt: /,
    artifacts: {
      "first/part.dat": "part a\n",
      "logs/a.log": "log a\n",
      "logs/b.log": "log b\n",
      "notes.txt": "one file\n",
      "part-a.dat": "part a\n",
      "part-b.dat": "part b\n",
      "forgotten.txt": null,
    },
  },
  "reports.yml": { status: "passed", output: /Tests: 2, 1 failed, 0 skipped\n/ },
  "cache.yml": { status: "passed", output: /making them now\n(?:.*\n)*Cache words: stored 2 files, |made before\n/ },
  "machine.yml": {
    before: uploadDisk,
    status: "passed",
    output: /root on a separate machine\n/,
    artifacts: { "cmdline.txt": undefined },
  },
  "keep-failed.yml": {
    before: uploadDisk,
    status: "failed",
    output: /stays as it is until .*ssh -i .*Collecting artifact \/dev\/vda => machine\.qcow2\n/s,
    artifacts: { "machine.qcow2": undefined },
  },
  "when.yml": {
    status: "passed",
    output: /part of every build\n.*No push has started/s,
    never: "only",
  },
  "failing.yml": { status: "failed", output: /expected 4, got 5\n/, never: "never printed" },
  "objects.yml": {
    before: () => user.send("POST", "/objects?name=greeting.txt", { body: greeting }),
    status: "passed",
    output: /Placing object greeting\.txt => inputs\/greeting\.txt\n/,
    artifacts: { "read-back.txt": greeting },
  },
  "secrets.yml": {
    before: () => user.post("/variables", { key: "GREETING_TOKEN", value: secret, mask: true }),
    status: "passed",
    output: /The token is xxxxxx\n/,
    never: secret,
  },
  "source.yml": { status: "passed", output: /The first commit\n/ },
  "source-options.yml": { status: "passed", output: /The first commit\n/ },
  "about.yml": { status: "passed", output: /Build \d+ of \S+, job about of stage show, attempt 1\n/ },
  "services.yml": { status: "passed", output: /\+ cat greeting\nHello from the service\n/ },
  "shell.yml": { status: "passed", output: /There are 3 words\n/ },
  "node.yml": { status: "passed", output: /greets everybody/, artifacts: { "greeter-1.0.0.tgz": undefined } },
  "c.yml": { status: "passed", output: /-Wextra/, artifacts: { "bin/greet": undefined } },
  "release.yml": {
    status: "passed",
    artifacts: {
      "release/greet-1.4.0-linux.tar": undefined,
      "release/greet-1.4.0-darwin.tar": undefined,
      "release/SHA256SUMS": undefined,
      "release/NOTES": "Version 1.4.0\n",
    },
  },
};

/** Returns the example for a driver, with a local repository instead of a remote one. */
async function manifestOf(file: string, driver: string): Promise<string> {
  const text = readFileSync(join(__dirname, file), "utf8");
  if (driver === "qemu") return text;
  const block = driver === "os" ? "  type: os\n" : `  type: docker\n  image: ${image}\n  workspace: /build\n`;
  const here = image ? text.replaceAll("busybox:1.37", image) : text;
  const manifest = here.replace(/^driver:\n(?: {2}.+\n)+/m, `driver:\n${block}`);
  const [project, tag] = sources[file] ?? [];
  if (!project || !tag) return manifest;
  const url = await repository(project, tag);
  return manifest.replace(/https:\S+\.git/, url);
}

const files = readdirSync(__dirname).filter((file) => file.endsWith(".yml"));

const containerExamples = ["services.yml"];
const machineExamples = ["machine.yml", "keep-failed.yml"];

/** Returns the drivers for an example. With a source it needs git and other tools, which the small image lacks. */
function driversOf(file: string): readonly string[] {
  if (machineExamples.includes(file)) return disks ? ["qemu"] : [];
  if (containerExamples.includes(file)) return image ? ["docker"] : [];
  const [, , ...needed] = sources[file] ?? ["", "", ...(tools[file] ?? [])];
  if (!sources[file] && needed.length === 0) return drivers;
  const missing = needed.filter((tool) => !isInstalled(tool));
  if (missing.length === 0) return ["os"];
  notRun(`${file}, an example`, `no ${missing.join(" and no ")}`);
  return [];
}
const runs = files.flatMap((file) => driversOf(file).map((driver) => [file, driver] as const));

it.each(runs)("the example %s with the driver %s has its documented result", async (file, driver) => {
  const { before, status, output = /(?:)/, never, artifacts = {} } = expected[file]!;
  await before?.();
  const { json: build } = await user.post("/builds", { manifest: await manifestOf(file, driver) });
  const ended = await eventually(
    async () => {
      const { json } = await user.get(build.url);
      if (json.finished_at === null) throw new Error(`The build is ${json.status}`);
      return json;
    },
    { withinMs: 300_000 },
  );
  expect([ended.status, ended.output]).toEqual([status, expect.stringMatching(output)]);
  if (never) expect(ended.output).not.toContain(never);
  for (const [name, content] of Object.entries(artifacts)) {
    const response = await user.get(`${build.artifacts_url}/${name}`, { Accept: "application/octet-stream" });
    if (content === undefined) expect([name, response.status]).toEqual([name, 200]);
    else expect([name, response.status === 200 ? response.text : null]).toEqual([name, content]);
  }
});
