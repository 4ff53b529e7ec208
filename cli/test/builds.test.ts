// Runs the built binary, cli/dist/main.js.
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { constellation, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { Ci, manifestOf } from "./_ci.js";

// A build that a failed test leaves behind delays no other.
const ci = constellation({ runner: true, settings: { RUNNER_BUILDS: "4" } });
let ann: SignedUp;
let user: Ci;
beforeAll(async () => {
  ann = await ci.signUp();
  user = new Ci();
  await user.run(["login", `${ci.origin}/api`], { input: `${ann.token}\n` });
});
afterAll(() => user[Symbol.dispose]());

const submit = (manifest: string, ...words: string[]) => user.run(["submit", "-", ...words], { input: manifest });

test("a build is submitted and followed; its output is on stdout, all else on stderr", async () => {
  const colored = "\u001b[31mred\u001b[0m";
  const { code, stdout, stderr } = await submit(
    manifestOf([`printf '\\033[31mred\\033[0m%s\\n' " $WHO"`]),
    ...["-f", "--var", "WHO=you"],
  );
  expect(code).toBe(0);
  expect(stdout).toContain(`${colored} you\n`);
  expect(stderr).toMatch(new RegExp(`^Build ${ann.username}/\\d+: ${ci.url}/b/${ann.username}/\\d+\n`));
  expect(stderr).toMatch(/Build .* passed in [\d.]+ s\n$/);
  expect(await user.out("logs")).toBe(stdout);
});

test("the exit code says how the build ended", async () => {
  const failed = await submit(manifestOf(["exit 3"]), "--follow");
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("failed")]);
  expect(failed.stderr).toContain("exit code 3");
  expect((await submit(manifestOf(["sleep 600"], {}, { timeout: "1s" }), "--follow")).code).toBe(4);
  const running = user.start(["submit", "-", "--follow", "--json"]);
  running.child.stdin!.end(manifestOf(["echo begun", "sleep 600"], {}, { timeout: "2min" }));
  await running.shows("begun");
  const { number } = JSON.parse(running.stdout.split("\n")[0]!);
  expect(await user.run(["kill", String(number)])).toEqual({
    ...{ code: 0, stdout: "", stderr: `Killed build ${ann.username}/${number}\n` },
  });
  const { code, stdout } = await running.ended;
  expect(code).toBe(3);
  expect(JSON.parse(stdout.trim().split("\n").at(-1)!)).toMatchObject({ event: "end", data: { status: "killed" } });
});

test("a kill says what became of the build, and of the builds of its matrix", async () => {
  expect((await submit(manifestOf(["true"]), "-f")).code).toBe(0);
  const name = (await user.out("list", "--limit", "1", "-q")).trim();
  const already = { code: 0, stdout: "", stderr: `Build ${name} had already finished: passed\n` };
  expect(await user.run(["kill", name])).toEqual(already);
  const commands = ["[ $N = 1 ] || sleep 600"];
  await submit(manifestOf(commands, { matrix: { N: ["1", "2"] } }, { timeout: "2min" }));
  const [second = "", first = ""] = (await user.out("list", "--limit", "2", "-q")).trim().split("\n");
  await eventually(async () => expect(await user.out("show", first, "-q")).toBe("passed\n"));
  expect(await user.run(["kill", second, "--group"])).toEqual({
    ...{ code: 0, stdout: "" },
    stderr: `Build ${first} had already finished: passed\nKilled build ${second}\n`,
  });
  await eventually(async () => expect(await user.out("show", second, "-q")).toBe("killed\n"));
  const killed = { code: 0, stdout: "", stderr: `Build ${second} had already finished: killed\n` };
  expect(await user.run(["kill", second])).toEqual(killed);
});

test("an interrupt ends the command with 130, and the build continues", async () => {
  const running = user.start(["submit", "-", "--follow"]);
  running.child.stdin!.end(
    manifestOf(["echo begun", "while [ ! -e stop ]; do sleep 0.1; done"], {}, { timeout: "2min" }),
  );
  await running.shows("begun");
  running.child.kill("SIGINT");
  const { code, stderr } = await running.ended;
  expect(code).toBe(130);
  const name = /The build continues: ci logs -f (\S+),/.exec(stderr)![1]!;
  expect(await user.out("show", name, "-q")).toBe("running\n");
  await user.out("kill", name);
});

test("all builds of a matrix are followed, and the worst decides", async () => {
  const manifest = manifestOf(["echo on-$NODE", "[ $NODE != 22 ]"], { matrix: { NODE: ["20", "22", "24"] } });
  const { code, stdout, stderr } = await submit(manifest, "-f");
  expect(code).toBe(1);
  expect(stdout.match(/^on-\d+$/gm)).toEqual(["on-20", "on-22", "on-24"]);
  expect(stderr.match(/NODE=\d+/g)).toEqual(["NODE=20", "NODE=22", "NODE=24"]);
  expect((await submit(manifest, "-q")).stdout.trim().split("\n")).toHaveLength(3);
});

test("a manifest with mistakes is refused, and lint names their places", async () => {
  const manifest = "driver: {type: os}\njobs:\n- stage: test\n  script: [a]\n  comands: [b]\n";
  const refused = await submit(manifest);
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr.trim().split("\n")).toHaveLength(2);
  const lint = await user.run(["lint", "-"], { input: manifest });
  expect(lint).toMatchObject({ code: 1, stderr: "" });
  expect(lint.stdout).toMatch(/^-:4:\d+: .*unknown key "script".*did you mean/);
  const good = await user.run(["lint", "-"], { input: manifestOf(["a", "b"]) });
  expect(good).toEqual({ code: 0, stdout: "test\ttest.1\ta, b\n", stderr: "" });
});

test("lint checks all manifests that a push would build", async () => {
  expect((await user.run(["lint"])).stderr).toContain("There is no .service-ci.yml here, and no .service-ci/*.yml. ");
  await mkdir(`${user.folder}/.service-ci`);
  await writeFile(`${user.folder}/.service-ci/a.yml`, manifestOf(["a"]));
  await mkdir(`${user.folder}/.service-ci/folder.yml`);
  await symlink("a.yml", `${user.folder}/.service-ci/link.yml`);
  await symlink("nowhere", `${user.folder}/.service-ci.yml`);
  expect(await user.out("lint")).toBe("test\ttest.1\ta\n");
  await writeFile(`${user.folder}/.service-ci/b.yml`, "driver: {type: os}\njob: []\n");
  const { code, stdout } = await user.run(["lint"]);
  const lines = [/^\.service-ci\/b\.yml:2:1: unknown key "job"/, /^\.service-ci\/a\.yml\ttest\ttest\.1\ta$/];
  expect([code, ...stdout.trimEnd().split("\n")]).toEqual([1, ...lines.map((line) => expect.stringMatching(line))]);
  const printed = await user.run(["lint", "--json"]);
  expect(
    printed.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    expect.objectContaining({ manifest: ".service-ci/a.yml", valid: true }),
    expect.objectContaining({ manifest: ".service-ci/b.yml", valid: false }),
  ]);
  expect((await user.run(["submit"])).stderr).toContain("A push builds .service-ci/a.yml, .service-ci/b.yml\n");
  await rm(`${user.folder}/.service-ci`, { recursive: true });
  await rm(`${user.folder}/.service-ci.yml`);
});

test("a build is named by number, user and number, URL and last", async () => {
  const bob = await ci.signUp();
  await ci.as(ann.token).post("/namespaces", { name: "shared" });
  const invite = await ci.as(ann.token).post(`/n/${ann.username}/shared/-/invites`, { handle: bob.username });
  await ci.as(bob.token).patch(`/invites/${invite.json.id}`);
  const { number, url } = await user.json(
    "submit",
    await written(manifestOf(["true"])),
    "--namespace",
    "shared",
    "-t",
    "mine",
  );
  const later = await bob.post("/builds", { manifest: manifestOf(["true"], { namespace: `shared@${ann.username}` }) });
  expect(later.status).toBe(201);
  expect((await user.json("list", "--limit", "1"))[0].user.username).toBe(bob.username);
  for (const name of [
    "last",
    String(number),
    `${ann.username}/${number}`,
    url,
    `${ci.origin}/api/b/${ann.username}/${number}`,
  ])
    expect(await user.json("show", name)).toMatchObject({ number, tags: ["mine"], namespace: { path: "shared" } });
  const { code, stderr } = await user.run(["kill", `https://other.example.com/b/${ann.username}/${number}`]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("is not a build of")]);
  expect(await user.out("list", "-n", "shared", "--tag", "mine", "-q")).toBe(`${ann.username}/${number}\n`);
});

async function written(manifest: string): Promise<string> {
  await writeFile(`${user.folder}/a.yml`, manifest);
  return "a.yml";
}

test("a finished build is restarted with other variables", async () => {
  const first = await submit(manifestOf(["echo is-$X"]), "-f", "-v", "X=1");
  expect(first.stdout).toContain("is-1");
  expect(await user.out("inputs", "vars")).toBe("X\t1\tno\n");
  const { code, stdout } = await user.run(["restart", "--var", "X=2", "--follow"]);
  expect(code).toBe(0);
  expect(stdout).toContain("is-2");
});

test("a reader that has read enough is no failure", async () => {
  await submit(manifestOf(["head -c 2000000 /dev/zero | tr '\\0' 'x'"]), "-f", "-q");
  const running = user.start(["logs"]);
  running.child.stdout!.once("data", () => running.child.stdout!.destroy());
  expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
});

test("the output of one job is followed", async () => {
  const jobs = ["one", "two"].map((name) => ({ stage: "test", name, commands: [`echo from-${name}`] }));
  await submit(JSON.stringify({ driver: { type: "os" }, jobs }), "-f");
  const { code, stdout } = await user.run(["logs", "last", "--job", "two", "-f"]);
  expect(code).toBe(0);
  expect(stdout).toContain("from-two");
  expect(stdout).not.toContain("from-one");
  expect(await user.out("jobs", "last", "-q")).toContain("one\ntwo\n");
  for (const follow of [[], ["-f"]]) {
    const { code, stderr } = await user.run(["logs", "last", "-j", "three", ...follow]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^Build \S+ has no job "three". `ci jobs \S+` lists its/),
    ]);
  }
});

test("logs print only the jobs that failed if asked to, and a followed build names them", async () => {
  const jobs = ["one", "two", "three"].map((name) => ({ stage: "test", name, commands: [`echo from-${name}`] }));
  jobs[1]!.commands.push("exit 3");
  const followed = await submit(JSON.stringify({ driver: { type: "os" }, parallel: ["test"], jobs }), "-f");
  const [name] = /(?<=Build )\S+(?=:)/.exec(followed.stderr)!;
  expect(followed.stderr).toMatch(new RegExp(`^Failed: two\\. See \`ci logs --failed ${name}\`\n$`, "m"));
  const { stdout, stderr } = await user.run(["logs", name, "--failed"]);
  expect(stderr).toBe("Job two failed: exit code 3\n");
  expect(stdout).toBe(await user.out("logs", name, "-j", "two"));
  expect(await user.run(["logs", name, "--failed", "-f"])).toMatchObject({ code: 2, stdout: "" });
  const tolerated = await submit(manifestOf(["exit 4"], { allow_failures: ["test"] }, { name: "maybe" }), "-f");
  expect(tolerated.stderr).toMatch(/^Failed: maybe\. See `ci logs --failed \S+`\n$/m);
  expect((await user.run(["logs", "--failed"])).stderr).toMatch(/^Job maybe passed with failures: .*exit code 4\n$/);
  const slow = manifestOf(["exec sleep 600"], {}, { name: "slow", timeout: "1s" });
  expect((await submit(slow, "-f")).stderr).toMatch(/^Failed: slow\. /m);
  await submit(manifestOf(["true"]), "-f");
  const none = { code: 0, stdout: "", stderr: expect.stringMatching(/^No job of build \S+ has failed\n$/) };
  expect(await user.run(["logs", "--failed"])).toEqual(none);
});

test("a submission says to which namespace the build belongs", async () => {
  const manifest = manifestOf(["true"], { namespace: "place" });
  const place = `place@${ann.username}`;
  expect((await submit(manifest)).stdout).toMatch(new RegExp(`^\\S+\t\\S+\t${place}\n$`));
  expect((await submit(manifest, "-f")).stderr).toMatch(new RegExp(`^Build \\S+ in ${place}: `));
  expect((await submit(manifestOf(["true"]))).stdout).toMatch(/^\S+\t\S+\n$/);
});

test("logs begin each line with its time if asked to, followed or not", async () => {
  await submit(manifestOf(["echo one; echo two"]), "-f");
  const plain = await user.out("logs");
  const timed = await user.out("logs", "--timestamps");
  const lines = timed.trimEnd().split("\n");
  expect(lines.map((line) => line.slice(25)).join("\n")).toBe(plain.trimEnd());
  for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /);
  expect((await user.run(["logs", "-f", "-t"])).stdout).toBe(timed);
  expect((await user.run(["logs", "-f", "-t", "-j", "test.1"])).stdout).toContain("Z two\n");
});

test("a follower of the output learns why the build waits", async () => {
  const running = user.start(["submit", "-", "-f"]);
  running.child.stdin!.end(JSON.stringify({ driver: { type: "qemu", image: "none" }, jobs: [] }));
  await running.shows("Waiting: no runner serves the qemu driver");
  running.child.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
});

test("show prints a build and its jobs, and nothing is colored in a pipe", async () => {
  await submit(manifestOf(["true"]), "-f", "-m", "a\u001b[2Jcomment");
  const shown = await user.out("show");
  expect(shown).toMatch(/^status +passed$/m);
  expect(shown).toMatch(/^trigger +manual: a\\u001b\[2Jcomment$/m);
  expect(shown).toMatch(/^test\ttest\.1\tpassed\t[\d.]+ s\t$/m);
  expect(shown).not.toContain("\u001b");
  await eventually(async () => expect(await user.out("list", "--status", "passed", "-q")).toContain("/"));
});
