import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import Docker from "dockerode";
import { findLeftovers } from "../src/drivers/docker/leftovers.js";
import { dockerDriver } from "../src/drivers/docker.js";
import { workRoot } from "../src/drivers/work-root.js";
import { sweep } from "../src/work/sweep.js";
import { installation } from "./_assignment.js";
import { dockerOptions, dockerSubject } from "./_docker.js";
import { contentOf, never, orderOf, printed, ran, type Subject } from "./_subject.js";

const image = process.env.CI_TEST_IMAGE;

if (!image) test("not run: no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)", () => undefined);
else {
  const engine = new Docker();
  const name = `test-${randomUUID()}`;
  let dir: string;
  let subject: Subject;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
    subject = await open(image);
  });
  afterAll(() => rm(dir, { recursive: true }));

  const open = (image: string) => dockerSubject(engine, { image, name, dir });

  /** Returns shell text that makes a system call and says how the kernel answered. */
  function systemCall(call: string): string {
    const file = join(__dirname, "../../../probe/tool/syscalls.mjs");
    const module = `import { prelude, syscall } from ${JSON.stringify(file)}; console.log(prelude + "\\n(" + syscall(${call}) + ")");`;
    return execFileSync(process.execPath, ["--input-type=module", "-e", module], { encoding: "utf8" });
  }

  test("variables stay out of the URLs of requests to the engine, which are logged and at most 1 MiB long", async () => {
    const variables = Array.from({ length: 8 }, (_, nth) => ({ key: `LARGE_${nth}`, value: "\n".repeat(60_000) }));
    expect(await printed(subject, 'printf %s "$LARGE_7." | wc -c', { variables })).toBe("60001\n");
  });

  describe("the hardening", () => {
    test.each([
      ["io_uring", '"io_uring_setup", 1, 0'],
      ["sockets to the hypervisor", '"socket", 40, 1, 0'],
      ["user namespaces through clone", '"clone", 0x10000011, 0, 0, 0, 0'],
      ["user namespaces through unshare", '"unshare", 0x10000000'],
      ["the kernel's keyrings", '"keyctl", 0, -3, 0'],
      ["page faults of others", '"userfaultfd", 1'],
    ])("keeps jobs from %s, also where the engine allows it", async (_what, call) => {
      await eventually(async () => expect(await subject.driver.ready()).toBe(true));
      expect(await printed(subject, `set +e\n${systemCall(call)}\n:`)).toContain("Operation not permitted (EPERM)");
    });

    test("is part of the container's configuration", async () => {
      const order = orderOf(subject, ["sleep 1000; :"], { variables: [{ key: "GIVEN", value: "1" }] });
      await using environment = subject.driver.environment(order);
      await environment.prepare(() => undefined, never);
      environment.run(order.jobs[0]!, async () => undefined, never).catch(() => undefined);
      const filters = { label: [`ci.build=${order.mark.buildId}`] };
      const [container] = await engine.listContainers({ all: true, filters });
      const { HostConfig: host, Config: config, ...inspected } = await engine.getContainer(container!.Id).inspect();
      const commandLine = ["-c", expect.stringMatching(/exec \/bin\/sh "\$0"$/), expect.stringMatching(/^\/[^/]+$/)];
      expect(inspected).toMatchObject({ Path: "/bin/sh", Args: [...commandLine, order.jobs[0]!.script] });
      expect(inspected.Image).toBe((await engine.getImage(order.image).inspect()).Id);
      expect(config).toMatchObject({
        User: "0:0",
        WorkingDir: "/workspace",
        Labels: { "ci.runner": name, "ci.installation": installation, "ci.epoch": "1" },
      });
      expect(config.Env).toContain("GIVEN=1");
      expect(host).toMatchObject({
        Privileged: false,
        CapDrop: ["ALL"],
        SecurityOpt: expect.arrayContaining(["no-new-privileges"]),
        PidsLimit: 256,
        Memory: 512 * 1024 ** 2,
        MemorySwap: 512 * 1024 ** 2,
        NanoCpus: 2e9,
        PidMode: "",
        UsernsMode: "",
        IpcMode: "private",
        Binds: null,
      });
      expect([...host.CapAdd].sort()).toEqual(
        ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "NET_BIND_SERVICE", "SETGID", "SETUID"].sort(),
      );
      const network = await engine.getNetwork(host.NetworkMode!).inspect();
      expect(network).toMatchObject({
        Driver: "bridge",
        Labels: { "ci.runner": name, "ci.build": String(order.mark.buildId), "ci.epoch": "1" },
      });
    });

    test("is in force inside the container", async () => {
      const text = await printed(
        subject,
        "grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status; mount -t tmpfs x /mnt 2>&1 || echo no mount",
      );
      expect(text).toMatch(/CapEff:\s+00000000000004fb/);
      expect(text).toMatch(/NoNewPrivs:\s+1/);
      expect(text).toMatch(/Seccomp:\s+2/);
      expect(text).toContain("no mount");
    });

    test("limits the number of processes", async () => {
      expect(
        await printed(subject, "i=0; while [ $i -lt 400 ]; do sleep 1000 & i=$((i+1)); done; echo all"),
      ).not.toContain("all\n");
    });
  });

  describe("an image", () => {
    const prepareLines = async (more: object) => {
      const order = orderOf(subject, ["echo ran"], more);
      const lines: string[] = [];
      await using environment = subject.driver.environment(order);
      await environment.prepare((line) => lines.push(line), never);
      expect((await ran(environment, order.jobs[0]!)).text).toBe("ran\n");
      return lines.join("\n");
    };

    test("is not pulled if a copy with this tag exists", async () => {
      expect(await prepareLines({})).not.toContain("Pulling");
    });

    test("that cannot be pulled again is used as it is, and a line says so", async () => {
      expect(await prepareLines({ pullAlways: true })).toMatch(/Pulling image .* failed, its local copy is used: /);
    });

    test.each(["no-such-image.invalid/x:1", "UPPER CASE", "", "no-such-image.invalid/x"])(
      "that cannot be pulled fails the preparation: %p",
      async (missing) => {
        const order = orderOf(subject, ["echo"], { image: missing });
        await using environment = subject.driver.environment(order);
        await expect(environment.prepare(() => undefined, never)).rejects.toMatchObject({
          name: "Fault",
          code: expect.stringMatching(/precondition|invalid/),
        });
      },
    );

    test("without a shell fails the job with the engine's reason", async () => {
      const empty = await emptyImage();
      const order = orderOf(subject, ["echo"], { image: empty });
      await using environment = subject.driver.environment(order);
      await environment.prepare(() => undefined, never);
      await expect(ran(environment, order.jobs[0]!)).rejects.toMatchObject({
        name: "Fault",
        message: expect.stringMatching(/\/bin\/sh/),
      });
      await engine.getImage(empty).remove();
    });
  });

  /** Creates an image without any file. */
  async function emptyImage(): Promise<string> {
    const tag = `${name}/empty:1`;
    const stream = await engine.importImage(Buffer.alloc(1024) as never, { repo: `${name}/empty`, tag: "1" });
    await new Promise((resolve, reject) =>
      engine.modem.followProgress(stream, (error) => (error ? reject(error) : resolve(0))),
    );
    return tag;
  }

  describe("objects of ended builds", () => {
    const volumeNames = async () =>
      ((await engine.listVolumes({ filters: { label: [`ci.runner=${name}`] } })).Volumes ?? []).map(({ Name }) => Name);

    test("are kept if they belong to another installation with the same runner name", async () => {
      const order = orderOf(subject, ["sleep 1000; :"]);
      await using otherInstallation = subject.driver.environment({
        ...order,
        mark: { ...order.mark, installation: "d2d2" },
      });
      await otherInstallation.prepare(() => undefined, never);
      const { driver } = await open(image!);
      const sweeping = { drivers: [driver], runnerId: "id", running: () => [], log: createLog("runner", "silent") };
      const queueOf = (installation: string) => ({ listLeases: async () => ({ leases: [], installation }) });
      const before = await subject.traces(order.mark.buildId);
      await sweep({ ...sweeping, queue: queueOf(installation) });
      expect(await subject.traces(order.mark.buildId)).toEqual(before);
      expect(before.length).toBe(3);
      expect(await sweep({ ...sweeping, queue: queueOf("d2d2") })).toBe(3);
    });

    test("without an installation label are removed once they are older than the longest build", async () => {
      const old = await engine.createVolume({ Labels: { "ci.runner": name, "ci.build": "7", "ci.epoch": "1" } });
      const root = await workRoot(dir, name);
      const isOld = ({ what }: { what: string }) => what === `volume ${old.name}`;
      expect((await findLeftovers({ engine, runner: name, root })).filter(isOld)).toEqual([]);
      const leftovers = (await findLeftovers({ engine, runner: name, root, now: Date.now() + 25 * 3_600_000 })).filter(
        isOld,
      );
      expect(leftovers.map(({ mark }) => mark)).toEqual([{ buildId: 7, epoch: 1 }]);
      await leftovers[0]!.remove();
      expect(await volumeNames()).not.toContain(old.name);
    });
  });

  test("links of artifacts are resolved inside the container", async () => {
    const order = orderOf(subject, [
      "ln -s /etc/hostname out; ln -s ../../../../../../etc/hostname up; cat /etc/hostname",
    ]);
    await using environment = subject.driver.environment(order);
    await environment.prepare(() => undefined, never);
    const { text } = await ran(environment, order.jobs[0]!);
    expect(text).not.toContain(hostname());
    for (const path of ["out", "up"]) expect(await contentOf(environment, path)).toBe(text);
  });

  test("a listing ends before it reads more than a build may write, such as a huge sparse file", async () => {
    const order = orderOf(subject, [
      "mkdir -p few many; echo a > few/a; dd if=/dev/zero of=many/file bs=1 count=0 seek=1099511627776 2> /dev/null",
    ]);
    await using environment = subject.driver.environment(order);
    await environment.prepare(() => undefined, never);
    await ran(environment, order.jobs[0]!);
    const listed = async (folder: string) => {
      const found: string[] = [];
      for await (const { path } of environment.list(folder, 3, never)) found.push(path);
      return found;
    };
    expect(await listed("few")).toEqual(["a"]);
    await expect(listed("many")).rejects.toMatchObject({
      name: "Fault",
      message: expect.stringMatching(/1 GiB \(DOCKER_DISK\)/),
    });
  });

  test.each(["/", "relative"])("the driver rejects the workspace %p", async (workspace) => {
    const order = orderOf(subject, [], { workspace });
    await using environment = subject.driver.environment(order);
    await expect(environment.prepare(() => undefined, never)).rejects.toMatchObject({ name: "Fault" });
  });

  test.each(["/proc", "/proc/: no space left on device"])(
    "the workspace %s fails the job with a sentence that names it, without words of the engine",
    async (workspace) => {
      const order = orderOf(subject, ["echo"], { workspace });
      await using environment = subject.driver.environment(order);
      const running = environment.prepare(() => undefined, never).then(() => ran(environment, order.jobs[0]!));
      await expect(running).rejects.toMatchObject({
        name: "Fault",
        message: `The container engine cannot run image ${image} with the workspace ${workspace}; the runner's log says why`,
      });
    },
  );

  test.each([
    ["short", ""],
    ["long", `# ${"x".repeat(200_000)}\n`],
  ])("a %s script runs as it is written, and only root can read it", async (_which, comment) => {
    const text = "a\\\\n%s\\t$HOME`'\"'ü";
    const script = `${comment}cat <<'END'\n${text}\nEND\nls -l "$0" | cut -c 5-10\n`;
    expect(await printed(subject, script)).toBe(`${text}\n------\n`);
  });

  test("the workspace may have the path of the script", async () => {
    expect(await printed(subject, "pwd", { workspace: "/.ci-script" })).toBe("/.ci-script\n");
  });

  test("the driver is not ready while the engine is down", async () => {
    const driver = dockerDriver(dockerOptions(name, await workRoot(dir, name), { host: `unix://${dir}/none.sock` }));
    expect(await driver.ready()).toBe(false);
    const order = orderOf(subject, ["echo"]);
    await using environment = driver.environment(order);
    await expect(environment.prepare(() => undefined, never)).rejects.toMatchObject({
      message: "Docker Engine cannot be reached",
    });
  });
}
