import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Got } from "@ci/testkit/api";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";

const { privateKey } = generateKeyPairSync("ed25519", {
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const disks = process.env.CI_TEST_DISKS;
const names = suite();

// A machine is emulated here: it needs seconds to boot, on a busy host many.
const patience = { withinMs: 120_000, everyMs: 100 };
jest.setTimeout(300_000);

if (!disks) notRun("builds in virtual machines", "CI_TEST_DISKS names no folder of disks");
else {
  const dir = mkdtempSync(join(tmpdir(), "ci-machines-"));
  let on: Processes;
  beforeAll(async () => {
    on = await startProcesses(names, {
      ...{ RUNNER_DIR: join(dir, "runs"), RUNNER_IMAGES_DIR: join(dir, "images"), RUNNER_NAME: "machines" },
      ...{ DRIVERS: "qemu", RUNNER_DRIVERS: "qemu", QEMU_ACCEL: "tcg", QEMU_MEMORY: "256MiB" },
      ...{ LEASE: "3s", LEASE_RENEWAL: "500ms" },
    });
    const body = readFileSync(join(disks, "keyed.qcow2"));
    expect((await on.api.send("POST", "/images?name=small", { body })).status).toBe(201);
  });
  afterAll(async () => {
    await on?.[Symbol.asyncDispose]();
    for (const pid of machines()) process.kill(pid, "SIGKILL");
    rmSync(dir, { recursive: true, force: true });
  });

  /** The processes of virtual machines that this test's runner has started. */
  const machines = (): number[] =>
    readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry) && commandOf(entry).includes(`\0-name\0ci:${encodeURIComponent(dir)}`))
      .map(Number);

  function commandOf(pid: string): string {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
      return "";
    }
  }

  const folders = () => readdirSync(join(dir, "runs", "machines")).filter((name) => name.startsWith("qemu."));

  const submit = async (commands: readonly string[], more: object = {}, artifacts: readonly string[] = []) => {
    const jobs = [{ stage: "s", commands, artifacts }];
    const manifest = { driver: { type: "qemu", image: "small" }, stages: ["s"], jobs, ...more };
    const { status, json } = await on.api.post("/builds", { manifest: JSON.stringify(manifest) });
    expect([status, json]).toEqual([201, expect.anything()]);
    return json;
  };
  const ended = (url: string): Promise<Got["json"]> =>
    eventually(async () => {
      const { json } = await on.api.get(url);
      if (json.finished_at === null) throw new Error(`${json.status}: ${json.output}`);
      return json;
    }, patience);
  const printed = (url: string, text: string) =>
    eventually(async () => expect((await on.api.get(url)).json.output).toContain(`\n${text}\n`), patience);
  const nothingLeft = () => eventually(() => expect([machines(), folders()]).toEqual([[], []]), patience);

  it("a build in an uploaded image has its objects, keys and variables, and leaves artifacts", async () => {
    await on.api.send("POST", "/objects?name=word.txt", { body: "an object\n" });
    await on.api.post("/variables", { key: "SECRET", value: "very secret", mask: true });
    const key = { name: "id", key: privateKey, config: "Host example\n  User ann" };
    expect((await on.api.post("/keys", key)).json).toMatchObject({ name: "id" });
    const build = await submit(
      [
        "cat in/word.txt",
        "stat -c %a in/word.txt .ssh .ssh/id .ssh/config",
        'echo "it is $SECRET, and $PLAIN"',
        "mkdir -p out; echo one > out/1.txt; echo two > out/2.txt; ln -s 1.txt out/link.txt",
      ],
      { objects: ["word.txt => in/"], env: ["PLAIN=it's plain"] },
      ["out/*.txt => result-*", "in/word.txt", "out", "missing"],
    );
    const { status, output } = await ended(build.url);
    expect([output, status]).toEqual([expect.stringMatching(/^Using image small \(sha256:[0-9a-f]{64}\)\n/), "passed"]);
    expect(output).toContain("Placing object word.txt => in/word.txt\n");
    expect(output).toContain("\nan object\n");
    expect(output).toContain("\n700\n700\n600\n600\n");
    expect(output).toContain("\nit is xxxxxx, and it's plain\n");
    expect(output).not.toContain("very secret");
    expect(output).toContain("artifact error: out: not a regular file\n");
    expect(output).toContain("artifact error: missing: not found\n");
    const contents = { "result-1.txt": "one\n", "result-2.txt": "two\n", "result-link.txt": "one\n" };
    for (const [name, content] of Object.entries({ ...contents, "word.txt": "an object\n" })) {
      const got = await on.api.get(`${build.artifacts_url}/${name}`, { accept: "application/octet-stream" });
      expect([name, got.status, got.text]).toEqual([name, 200, content]);
    }
    await nothingLeft();
  });

  it("a kill ends the machine; an image that cannot be had or booted fails the build with the reason", async () => {
    const build = await submit(["echo up", "sleep 1000"]);
    await printed(build.url, "up");
    expect(machines().length).toBe(1);
    await on.api.delete(build.url);
    expect((await ended(build.url)).status).toBe("killed");
    await nothingLeft();

    const missing = await ended((await submit(["true"], { driver: { type: "qemu", image: "none" } })).url);
    expect([missing.status, missing.output]).toEqual(["failed", "There is no image none\n"]);
    const short = Buffer.from([0x51, 0x46, 0x49, 0xfb, 0, 0, 0, 3]);
    await on.api.send("POST", "/images?name=short", { body: short });
    const broken = await ended((await submit(["true"], { driver: { type: "qemu", image: "short" } })).url);
    expect(broken.status).toBe("failed");
    expect(broken.output).toMatch(/The image is too short: it has no complete QCOW2 header\n$/);
  });

  it("after a kill -9 of the runner nothing is left of its machines, and the build runs again", async () => {
    const build = await submit(["echo up", "sleep 10"]);
    await printed(build.url, "up");
    const before = machines();
    expect(before.length).toBe(1);
    await on.kill("runner");
    expect(machines()).toEqual(before);
    await eventually(async () => expect((await on.api.get(build.url)).json.status).toBe("queued"), patience);
    await on.start("runner");
    await eventually(() => expect(machines()).not.toContain(before[0]), patience);
    expect(await ended(build.url)).toMatchObject({ status: "passed", tags: ["orphaned"] });
    await nothingLeft();
  });
}
