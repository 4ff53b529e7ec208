// Runs the built binary, cli/dist/main.js, with the os driver and without a server.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { inApp, LocalUser } from "./_run.js";

let user: LocalUser;
beforeEach(() => {
  user = new LocalUser();
});
afterEach(() => user[Symbol.dispose]());

test("the exit code says how the build ended, and the summary why", async () => {
  const failed = await user.run(inApp(["exit 3"]));
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/^Build failed in [\d.]+ s: exit code 3$/m)]);
  expect(failed.stderr).toMatch(/^test\tunit\tfailed\t[\d.]+ s\texit code 3$/m);
  const late = await user.run(inApp(["sleep 600"], {}, { timeout: "1s" }));
  expect([late.code, late.stderr]).toEqual([4, expect.stringContaining("timed out after 1s")]);
  const allowed = await user.run(inApp(["false"], { allow_failures: ["test"] }));
  expect([allowed.code, allowed.stderr]).toEqual([0, expect.stringContaining("Build passed with failures")]);
});

test("secrets are masked, whether they are given or from the environment", async () => {
  const manifest = inApp(["echo is $GIVEN", "echo is $TAKEN", "echo is $PLAIN | base64"]);
  const words = ["--secret", "GIVEN=first-secret", "--secret", "TAKEN", "--var", "PLAIN=second-secret"];
  for (const more of [[], ["--json"]]) {
    const { code, stdout, stderr } = await user.run(manifest, [...words, ...more], { TAKEN: "second-secret" });
    expect(code).toBe(0);
    expect(stdout + stderr).toContain("is xxxxxx");
    expect(stdout + stderr).not.toMatch(/first-secret|second-secret|c2Vjb25kLXNlY3JldA/);
  }
  expect(await user.run(manifest, ["--secret", "ABSENT"])).toEqual({
    ...{ code: 2, stdout: "" },
    stderr: "The environment variable ABSENT is not set. Set it, or use --secret ABSENT=VALUE\n",
  });
  expect(await user.run(manifest, ["--secret", "SHORT=abc"])).toMatchObject({
    ...{ code: 1, stderr: "-: Variables value of SHORT cannot be shorter than 6 characters in length\n" },
  });
});

test("an artifact that would replace a folder is not kept, and the output says why", async () => {
  const { code, stdout } = await user.run(inApp(["touch a b"], {}, { artifacts: ["app/a => out/a", "app/b => out"] }), [
    "--artifacts",
    "kept",
  ]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(`artifact error: app/b: ${join(user.repository, "kept/out")} is a folder`),
  ]);
});

test("the output says why an artifact cannot be written, and one with a long name is kept", async () => {
  const name = "n".repeat(250);
  const manifest = inApp(["touch a"], {}, { artifacts: [`app/a => ${name}`] });
  expect((await user.run(manifest, ["--artifacts", "/proc"])).stdout).toMatch(
    /artifact error: app\/a: E[A-Z]+: .*\/proc\//,
  );
  await user.run(manifest, ["--artifacts", "kept"]);
  expect(readdirSync(join(user.repository, "kept"))).toEqual([name]);
});

test("a build without jobs says why nothing was run", async () => {
  const { code, stdout } = await user.run(inApp(["false"], {}, { when: { event: "schedule" } }));
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining("No job of the manifest is for this build: nothing was run"),
  ]);
});

test("a variable on the command line replaces that of a job", async () => {
  const manifest = inApp(["echo is $A, $B"], {}, { env: ["A=job", "B=job"] });
  const { code, stdout } = await user.run(manifest, ["--var", "A=given"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("is given, job\n")]);
});

test("a manifest with mistakes is refused with their places, and nothing runs", async () => {
  const manifest = "driver: {type: os}\njobs:\n- stage: test\n  script: [a]\n  comands: [b]\n";
  const { code, stdout, stderr } = await user.run(manifest);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^-:4:\d+: .*unknown key "script".*did you mean.*\n-:5:\d+: .*"comands".*\n$/);
  const lines = (await user.run(manifest, ["--json"])).stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { event: "complaint", data: { line: 4 } },
    { data: { line: 5 } },
  ]);
  expect((await user.start([]).ended).stderr).toContain("There is no .service-ci.yml here");
});

test.each<[string, object, string[], string]>([
  [
    "an object",
    inApp(["a"], { objects: ["ca.pem"] }),
    [],
    "The object ca.pem is only on the server. Give its file with --object ca.pem=FILE",
  ],
  [
    "an object's file",
    inApp(["a"], { objects: ["ca.pem"] }),
    ["--object", "ca.pem=none"],
    "The file none of the object ca.pem cannot be read",
  ],
  ["a use of an object", inApp(["a"]), ["--object", "x=y"], "The manifest has no object x"],
  [
    "a use of an image",
    { driver: { type: "docker", image: "a", workspace: "/b" }, jobs: [] },
    ["--image", "a=FILE"],
    "The manifest has no virtual machine with the image a",
  ],
  [
    "an image of that name",
    { driver: { type: "qemu", image: "debian" }, jobs: [] },
    ["--image", "debain=FILE"],
    "The manifest has no virtual machine with the image debain",
  ],
  ["a job", inApp(["a"]), ["--job", "tset"], "There is no job tset. Jobs are: unit"],
  ["a combination", inApp(["a"], { matrix: { N: ["1"] } }), ["--axis", "N=2"], "No build has N=2. The matrix has: N=1"],
  [
    "one of two combinations",
    inApp(["a"], { matrix: { N: ["1"] } }),
    ["--axis", "N=1", "--axis", "N=2"],
    "No build has N=2. The matrix has: N=1",
  ],
  [
    "a value of no selected build",
    inApp(["a"], { matrix: { A: ["1", "2"], B: ["1", "2"], exclude: [{ A: "1", B: "2" }] } }),
    ["--axis", "A=1", "--axis", "A=2", "--axis", "B=2"],
    "No selected build has A=1. The matrix has: A=1 B=1; A=2 B=1; A=2 B=2",
  ],
  ["an axis", inApp(["a"], { matrix: { N: ["1"] } }), ["--axis", "N"], "--axis N does not have the form AXIS=VALUE"],
  [
    "an image",
    { driver: { type: "qemu", image: "none" }, jobs: [] },
    [],
    "The image none is not on this machine. Give its disk with --image none=FILE",
  ],
  [
    "an engine",
    { driver: { type: "docker", image: "a", workspace: "/b" }, jobs: [] },
    [],
    "No Docker Engine can be used at unix:///none. Start it, or",
  ],
])("says what is missing before anything runs: %s", async (_what, manifest, words, message) => {
  const { code, stdout, stderr } = await user.run(manifest, words, { DOCKER_HOST: "unix:///none" });
  expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
});
