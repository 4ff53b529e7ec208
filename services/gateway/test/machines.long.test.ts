import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiResponse } from "@ci/testkit/api";
import { eventually } from "@ci/testkit/eventually";
import { listening, listeningOf } from "@ci/testkit/listening";
import { notRun } from "@ci/testkit/not-run";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";

const { privateKey } = generateKeyPairSync("ed25519", {
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const disks = process.env.CI_TEST_DISKS;
const names = suite();

// An emulated machine needs seconds to boot, and many on a busy host.
const patience = { withinMs: 600_000, everyMs: 100 };
jest.setTimeout(1_200_000);

if (!disks) notRun("builds in virtual machines", "CI_TEST_DISKS names no folder of disks");
else {
  const dir = mkdtempSync(join(tmpdir(), "ci-machines-"));
  let processes: Processes;
  beforeAll(async () => {
    processes = await startProcesses(names, {
      ...{ RUNNER_DIR: join(dir, "runs"), RUNNER_IMAGES_DIR: join(dir, "images"), RUNNER_NAME: "machines" },
      ...{ DRIVERS: "qemu", RUNNER_DRIVERS: "qemu", QEMU_ACCEL: "tcg", QEMU_MEMORY: "256MiB" },
      ...{ RUNNER_BUILDS: "3", RUNNER_WARM_VMS: "1", LEASE: "60s" },
    });
    const body = readFileSync(join(disks, "keyed.qcow2"));
    expect((await processes.api.send("POST", "/images?name=small", { body })).status).toBe(201);
  });
  afterAll(async () => {
    await processes?.[Symbol.asyncDispose]();
    for (const pid of machines()) process.kill(pid, "SIGKILL");
    rmSync(dir, { recursive: true, force: true });
  });

  /** Processes of the virtual machines of this test's runner. */
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
    const { status, json } = await processes.api.post("/builds", { manifest: JSON.stringify(manifest) });
    expect([status, json]).toEqual([201, expect.anything()]);
    return json;
  };
  const ended = (url: string): Promise<ApiResponse["json"]> =>
    eventually(async () => {
      const { json } = await processes.api.get(url);
      if (json.finished_at === null) throw new Error(`${json.status}: ${json.output}`);
      return json;
    }, patience);
  const printed = (url: string, text: string) =>
    eventually(async () => expect((await processes.api.get(url)).json.output).toContain(`\n${text}\n`), patience);
  /** Returns the number of warm machines. */
  const warmMachines = async () =>
    Number(/^ci_runner_warm_machines (\d+)$/m.exec(await processes.metrics("runner"))?.[1]);
  /** Expects that finished builds have left nothing but one warm machine. */
  const expectNothingLeft = () =>
    eventually(async () => {
      expect([await warmMachines(), machines().length, folders().length]).toEqual([1, 1, 1]);
    }, patience);

  it("a build in an uploaded image gets its objects, keys and variables, and leaves artifacts", async () => {
    await processes.api.send("POST", "/objects?name=word.txt", { body: "an object\n" });
    await processes.api.post("/variables", { key: "SECRET", value: "very secret", mask: true });
    const key = { name: "id", key: privateKey, config: "Host example\n  User ann" };
    expect((await processes.api.post("/keys", key)).json).toMatchObject({ name: "id" });
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
      const response = await processes.api.get(`${build.artifacts_url}/${name}`, {
        accept: "application/octet-stream",
      });
      expect([name, response.status, response.text]).toEqual([name, 200, content]);
    }
    await expectNothingLeft();
  });

  it("a kill stops the machine; an image that is missing or does not boot fails the build with the reason", async () => {
    const build = await submit(["echo up", "sleep 1000"]);
    await printed(build.url, "up");
    await processes.api.delete(build.url);
    expect((await ended(build.url)).status).toBe("killed");
    await expectNothingLeft();

    const missing = await ended((await submit(["true"], { driver: { type: "qemu", image: "none" } })).url);
    expect([missing.status, missing.output]).toEqual([
      "failed",
      "There is no image none: upload it, or name a base image of the runner\n",
    ]);
    const short = Buffer.from([0x51, 0x46, 0x49, 0xfb, 0, 0, 0, 3]);
    await processes.api.send("POST", "/images?name=short", { body: short });
    const broken = await ended((await submit(["true"], { driver: { type: "qemu", image: "short" } })).url);
    expect(broken.status).toBe("failed");
    expect(broken.output).toMatch(/The image is too short: it has no complete QCOW2 header\n$/);
  });

  /** Looks for other builds' files on its disk, leaves one, and tries ports of the host. */
  const curious = (word: string, ports: readonly number[]) => [
    "ls -A",
    `dd if=/dev/vda bs=512 skip=60000 count=1 2>/dev/null | tr -d '\\0'`,
    `echo ${word} > ${word}`,
    `printf left-${word} | dd of=/dev/vda bs=512 seek=60000 conv=notrunc,fsync 2>/dev/null`,
    ...ports.map((port) => `! nc -w 3 10.0.2.2 ${port} < /dev/null`),
    `echo up as ${word}`,
    "sleep 1000",
  ];
  const portsOf = async (pids: readonly number[]) => (await Promise.all(pids.map(listeningOf))).flat();

  it("three machines are isolated from each other; a kill -9 of the runner leaves neither them nor warm machines behind", async () => {
    const ports = [Number(new URL(processes.origin).port)];
    const builds: { url: string; word: string }[] = [];
    for (const word of ["one", "two", "three"]) {
      const { url } = await submit(curious(word, ports));
      builds.push({ url, word });
      await printed(url, `up as ${word}`);
      // The other machines try the port that leads into this one.
      ports.push(...(await portsOf(machines())).map(({ port }) => port));
    }
    for (const { url, word } of builds) {
      const { output } = (await processes.api.get(url)).json;
      for (const other of ["one", "two", "three"].filter((one) => one !== word)) expect(output).not.toContain(other);
    }
    await eventually(async () => expect([await warmMachines(), machines().length]).toEqual([1, 4]), patience);
    const before = { machines: machines(), folders: folders(), sockets: await portsOf(machines()) };
    expect([before.folders.length, before.sockets.length]).toEqual([4, 4]);

    await processes.kill("runner");
    expect(machines()).toEqual(before.machines);
    await eventually(async () => {
      for (const { url } of builds) expect((await processes.api.get(url)).json.status).toBe("queued");
    }, patience);
    await processes.start("runner");
    await eventually(async () => {
      expect(machines().filter((pid) => before.machines.includes(pid))).toEqual([]);
      expect(folders().filter((name) => before.folders.includes(name))).toEqual([]);
      const inodes = (await listening()).map(({ inode }) => inode);
      expect(before.sockets.filter(({ inode }) => inodes.includes(inode))).toEqual([]);
    }, patience);

    for (const { url, word } of builds) {
      const again = new RegExp(`\nRunner lost, build queued again \\(1 of 2\\)\n[^]*\nup as ${word}\n`);
      await eventually(async () => expect((await processes.api.get(url)).json.output).toMatch(again), patience);
      await processes.api.delete(url);
      expect(await ended(url)).toMatchObject({ status: "killed", tags: ["orphaned"] });
    }
    await expectNothingLeft();
  });

  it("a stopped runner leaves nothing behind, not even warm machines", async () => {
    expect(machines().length).toBeGreaterThan(0);
    await processes.stop("runner");
    expect([machines(), folders()]).toEqual([[], []]);
  });

  const stays = /\nOn the host of the runner machines: ssh -i \/\S+\/key -p \d+ root@127\.0\.0\.1\n$/;

  it("the machine of a failed build stays until it is killed or times out; then its disk is an artifact", async () => {
    await processes.start("runner");
    const driver = { type: "qemu", image: "small", keep_on_failure: "30" };
    const killed = await submit(["echo once > word", "false"], { driver });
    await eventually(async () => {
      const { json } = await processes.api.get(killed.url);
      expect(json.output).toMatch(stays);
      expect(json.status).toBe("running");
    }, patience);
    const [disk] = (await processes.api.get(killed.artifacts_url)).json;
    expect(disk).toMatchObject({
      name: "machine.qcow2",
      source: "/dev/vda",
      size: null,
      job: { name: "create-driver" },
    });
    await processes.api.delete(killed.url);
    expect((await ended(killed.url)).status).toBe("killed");
    await expectNothingLeft();

    const [machine] = machines();
    const failed = await submit(["false"], { driver });
    await eventually(async () => expect((await processes.api.get(failed.url)).json.output).toMatch(stays), patience);
    // The machine is powered off before its time limit.
    process.kill(machine!, "SIGTERM");
    const { status, output } = await ended(failed.url);
    expect(status).toBe("failed");
    expect(output).toContain("\nCollecting artifact /dev/vda => machine.qcow2\n");
    const artifact = await processes.api.get(`${failed.artifacts_url}/machine.qcow2`);
    expect(artifact.json).toMatchObject({ size: expect.any(Number), job: { name: "s.1", status: "failed" } });
    await expectNothingLeft();
  });

  it("a kill -9 of the runner while a failed machine stays: the build fails and does not run again, and the machine is removed", async () => {
    const driver = { type: "qemu", image: "small", keep_on_failure: "30" };
    const build = await submit(["echo deployed", "exit 3"], { driver });
    await eventually(async () => expect((await processes.api.get(build.url)).json.output).toMatch(stays), patience);
    const before = { machines: machines(), folders: folders() };
    await processes.kill("runner");
    expect(machines()).toEqual(before.machines);
    const failed = await eventually(async () => {
      const { json } = await processes.api.get(build.url);
      expect(json.status).not.toBe("running");
      return json;
    }, patience);
    expect(failed).toMatchObject({ status: "failed", reason: "exit code 3", tags: [] });
    expect(failed.output).toMatch(/\nRunner lost while the failed machine stayed\nJob failed: exit code 3\n$/);

    await processes.start("runner");
    await eventually(async () => {
      expect(machines().filter((pid) => before.machines.includes(pid))).toEqual([]);
      expect(folders().filter((name) => before.folders.includes(name))).toEqual([]);
    }, patience);
    expect((await ended((await submit(["true"])).url)).status).toBe("passed");
    expect((await processes.api.get(build.url)).json).toEqual(failed);
    await expectNothingLeft();
  });
}
