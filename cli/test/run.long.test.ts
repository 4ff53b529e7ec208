// Runs the built binary, cli/dist/main.js, with the os driver and without a server.
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import { inApp, LocalUser, printedBy } from "./_run.js";

let user: LocalUser;
beforeEach(() => {
  user = new LocalUser();
});
afterEach(() => user[Symbol.dispose]());

test("an interrupt kills the build and removes what it used", async () => {
  const running = user.start(["-"]);
  running.child.stdin!.end(JSON.stringify(inApp(["echo pid $$", "sleep 600"])));
  await running.shows("sleep 600");
  const pid = Number(/pid (\d+)$/m.exec(running.stdout)![1]);
  expect(user.left()).toHaveLength(1);
  running.child.kill("SIGINT");
  const { code, stdout, stderr } = await running.ended;
  expect(code).toBe(3);
  expect(stdout).toMatch(/^unit .*Build killed by /m);
  expect(stderr).toContain("Build killed in");
  expect(user.left()).toEqual([]);
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
});

test("the next run removes what a killed run has left", async () => {
  const running = user.start(["-"]);
  running.child.stdin!.end(JSON.stringify(inApp(["echo pid $$", "sleep 600"])));
  await running.shows("sleep 600");
  const pid = Number(/pid (\d+)$/m.exec(running.stdout)![1]);
  running.child.kill("SIGKILL");
  await running.ended;
  expect(user.left()).toHaveLength(1);
  expect((await user.run(inApp(["true"]))).code).toBe(0);
  expect(user.left()).toEqual([]);
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
});

test("the next run removes the copy of the folder that a killed run was making", async () => {
  user.write({ secret: "content" }).git("init", "-q");
  const manifest = inApp(["true"]);
  expect((await user.run(manifest)).code).toBe(0);
  const files = () => readdirSync(user.ci.folder, { recursive: true, encoding: "utf8" }).filter((path) => isCopy(path));
  const isCopy = (path: string) => path.startsWith("service-ci-run-") && /\.(tar|part)$/.test(path);
  const bin = join(user.ci.folder, "bin");
  const pidFile = join(user.ci.folder, "pid");
  mkdirSync(bin);
  const list = `case "$*" in *ls-files*) echo $$ > ${pidFile}; exec sleep 600;; esac`;
  const git = `#!/bin/sh\n${list}\nPATH="$REAL_PATH" exec git "$@"\n`;
  writeFileSync(join(bin, "git"), git, { mode: 0o755 });
  const running = user.start(["-"], { PATH: `${bin}:${process.env.PATH}`, REAL_PATH: process.env.PATH });
  running.child.stdin!.end(JSON.stringify(manifest));
  await eventually(() => expect(files()).toHaveLength(1));
  await eventually(() => expect(readFileSync(pidFile, "utf8")).toMatch(/^\d+\n$/));
  running.child.kill("SIGKILL");
  process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
  await running.ended;
  expect(files()).toHaveLength(1);
  expect((await user.run(manifest)).code).toBe(0);
  expect(files()).toEqual([]);
});

test("a reader that goes away kills the build", async () => {
  const running = user.start(["-"]);
  running.child.stdin!.end(JSON.stringify(inApp(["while :; do echo more; sleep 0.1; done"])));
  await running.shows("more");
  running.child.stdout!.destroy();
  expect((await running.ended).code).toBe(3);
  expect(user.left()).toEqual([]);
});

test("output that cannot be written kills the build", async () => {
  const full = openSync("/dev/full", "w");
  const running = user.start(["-"], {}, full);
  closeSync(full);
  running.child.stdin!.end(JSON.stringify(inApp(["while :; do echo more; sleep 0.1; done"])));
  const { code, stderr } = await running.ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining("The output cannot be written: ENOSPC")]);
  expect(user.left()).toEqual([]);
});

test("the builds go on when nobody reads the notes", async () => {
  const running = user.start(["-"]);
  running.child.stdin!.end(JSON.stringify(inApp(["echo on-$N"], { matrix: { N: ["1", "2"] } })));
  running.child.stderr!.destroy();
  const { code, stdout } = await running.ended;
  expect([code, stdout.match(/(?<=\| )on-\d$/gm)]).toEqual([0, ["on-1", "on-2"]]);
  expect(user.left()).toEqual([]);
});

test("artifacts are kept in a folder, each build of a matrix in its own", async () => {
  const manifest = inApp(
    ["mkdir out", "echo 1 > out/a", "echo $N > out/b", "echo 3 > c"],
    {},
    {
      artifacts: ["app/out/*", "app/c => sub/see", "app/absent"],
    },
  );
  const { stderr } = await user.run(manifest, ["--artifacts", "kept"]);
  const inFolder = (name: string) => readFileSync(join(user.repository, "kept", name), "utf8");
  expect(["a", "sub/see"].map(inFolder)).toEqual(["1\n", "3\n"]);
  expect(stderr).toContain(`Artifact sub/see: ${join(user.repository, "kept/sub/see")} (2 B)`);
  const without = await user.run(manifest);
  expect(without.stderr).toContain("Artifacts are not kept; --artifacts FOLDER keeps them");
  await user.run({ ...manifest, matrix: { N: ["x", "y"] } }, ["-a", "kept/all"]);
  expect(["all/1/b", "all/2/b"].map(inFolder)).toEqual(["x\n", "y\n"]);
});

test("--keep copies what jobs leave, also after a failure, into an empty folder", async () => {
  const manifest = inApp(["mkdir sub", "echo made > sub/file", "ln -s /etc/passwd sub/link", "exit 1"]);
  const ended = await user.run(manifest, ["--keep", "kept"]);
  expect(ended.stderr).toContain(`Files of the jobs: ${join(user.repository, "kept")}`);
  expect(readFileSync(join(user.repository, "kept/app/sub/file"), "utf8")).toBe("made\n");
  expect(readdirSync(join(user.repository, "kept/app/sub"))).toEqual(["file", "link"]);
  const again = await user.run(manifest, ["--keep", "kept"]);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("kept is not empty. Name another folder")]);
});

test("--keep without tar says so, and the build ends as it did", async () => {
  const bin = join(user.ci.folder, "bin");
  mkdirSync(bin);
  for (const name of ["git", "mkfifo"])
    symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(bin, name));
  const ended = await user.run(inApp(["true"]), ["--keep", "kept"], { PATH: bin, OS_PATH: process.env.PATH });
  expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining("Not kept: spawn tar ENOENT")]);
});

test("an artifact never leaves its folder", async () => {
  const script = ["mkdir out", "touch out/ok", "ln -s / ../kept-elsewhere"];
  symlinkSync(user.ci.folder, join(user.repository, "link"));
  const ended = await user.run(inApp(script, {}, { artifacts: ["app/out/ok => link/taken"] }), ["-a", "."]);
  expect(printedBy("unit", ended).join("\n")).toContain(
    `artifact error: app/out/ok: ${join(user.repository, "link")} is not a folder`,
  );
  expect(readdirSync(user.ci.folder)).not.toContain("taken");
});

test("objects and keys come from the options, and a note says that the rest of the namespace is missing", async () => {
  user.write({ ca: "content\n", id: "a-private-key-of-ann\n" });
  const manifest = {
    ...{ driver: { type: "os" }, namespace: "team/web", objects: ["ca.pem => certs/ca.pem"] },
    jobs: [{ name: "unit", commands: ["cat certs/ca.pem", "ls .ssh", "cat .ssh/deploy"] }],
  };
  const ended = await user.run(manifest, ["--object", "ca.pem=ca", "--key", "deploy=id"]);
  expect(printedBy("unit", ended)).toEqual(["content", "config", "deploy", "xxxxxx"]);
  expect(ended.stderr).toContain("The variables of namespace team/web are only on the server: give them with --var");
});

test("--job runs a job alone after the setup, whatever its conditions", async () => {
  const jobs = ["one", "two", "three"].map((name) => ({
    name,
    commands: [`echo from-${name}`],
    when: { branch: "none" },
  }));
  const ended = await user.run({ driver: { type: "os" }, jobs }, ["--job", "two", "-j", "three"]);
  expect(ended.stdout.match(/from-\w+$/gm)?.filter((_, at) => at % 2 === 1)).toEqual(["from-two", "from-three"]);
  const all = await user.run({ driver: { type: "os" }, jobs });
  expect([all.code, all.stdout]).toEqual([0, expect.not.stringContaining("from-")]);
  expect(all.stderr).toContain("Skipped, because their `when` does not match: one, two, three");
});

test("--event and the branch decide on `when`", async () => {
  user.write({ a: "" }).git("init", "-q");
  const when = { event: "push", branch: "main" };
  const manifest = inApp(["echo event $CI_EVENT"], {}, { when });
  expect(printedBy("unit", await user.run(manifest, ["--event", "push"]))).toEqual(["event push"]);
  expect((await user.run(manifest)).stderr).toContain("Skipped");
});

test("a matrix makes one build after another; --axis narrows it, and the worst decides", async () => {
  const manifest = inApp(["echo on-$N", "[ $N != 2 ]"], { matrix: { N: ["1", "2", "3"] } });
  const { code, stdout, stderr } = await user.run(manifest);
  expect(code).toBe(1);
  expect(stdout.match(/(?<=\| )on-\d$/gm)).toEqual(["on-1", "on-2", "on-3"]);
  expect(stderr.match(/^Build \d N=\d$/gm)).toEqual(["Build 1 N=1", "Build 2 N=2", "Build 3 N=3"]);
  expect(await user.run(manifest, ["--axis", "N=3"])).toMatchObject({ code: 0 });
  const two = await user.run(manifest, ["--axis", "N=1", "--axis", "N=3"]);
  expect([two.code, two.stderr.match(/^Build \d N=\d$/gm)]).toEqual([0, ["Build 1 N=1", "Build 2 N=3"]]);
});

test("jobs of a parallel stage run at the same time, and each line has its job's name", async () => {
  const waits = (own: string, other: string) => [
    `touch ${own}`,
    `until [ -e ${other} ]; do sleep 0.1; done`,
    `echo met ${other}`,
  ];
  const jobs = [
    { stage: "test", name: "a", commands: waits("one", "two") },
    { stage: "test", name: "longer", commands: waits("two", "one") },
  ];
  const ended = await user.run({ driver: { type: "os" }, parallel: ["test"], jobs }, ["--quiet"]);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(printedBy("a", ended)).toContain("met two");
  expect(printedBy("longer", ended)).toContain("met one");
});

test("caches persist between runs of a folder", async () => {
  user.write({ lock: "1" });
  const cache = [{ name: "deps", key: ["app/lock"], paths: ["deps"] }];
  const manifest = inApp(["ls ../deps || true", "mkdir -p ../deps", "touch ../deps/$N"], { cache });
  expect((await user.run(manifest, ["-v", "N=first"])).stdout).toContain("Cache deps: stored");
  const second = await user.run(manifest, ["-v", "N=second"]);
  expect(second.stdout).toContain("Cache deps: hit");
  expect(printedBy("unit", second)).toEqual(["first"]);
  user.write({ lock: "2" });
  expect((await user.run(manifest)).stdout).toContain("Cache deps: no entry for this key, placed the newest one");
});

test("--json prints every event on a line", async () => {
  const { stdout, stderr } = await user.run(inApp(["printf a; printf b"]), ["--json", "-q"]);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(stderr).toBe("");
  expect(events[0]).toEqual({
    event: "build",
    data: { number: 1, axes: {}, jobs: ["create-driver", "clone.1", "unit"] },
  });
  const text = events
    .flatMap(({ event, data }) => (event === "output" && data.job === "unit" ? data.text : []))
    .join("");
  expect(text).toContain("+ printf a\na+ printf b\nb");
  expect(events).toContainEqual({
    event: "job",
    data: expect.objectContaining({ name: "unit", status: "passed", exit_code: 0 }),
  });
  expect(events.at(-1)).toMatchObject({ event: "end", data: { status: "passed", jobs: { length: 3 } } });
});

test("runs at the same time do not disturb each other", async () => {
  const manifest = inApp(["sleep 1", "ls ../app"]);
  user.write({ a: "" });
  const all = await Promise.all([1, 2, 3].map(() => user.run(manifest)));
  expect(all.map((ended) => [ended.code, printedBy("unit", ended)])).toEqual(all.map(() => [0, ["a"]]));
});
