import { randomUUID } from "node:crypto";
import { eventually } from "@ci/testkit/eventually";
import Docker from "dockerode";
import { diskUse, engineUse } from "../src/drivers/docker/disk/disk-use.js";
import { watchDisk } from "../src/drivers/docker/disk/disk-watch.js";
import { anAssignment } from "./_assignment.js";
import { deriveImage, dockerLimits } from "./_docker.js";
import { bootRunner } from "./_suite.js";

const image = process.env.CI_TEST_IMAGE;

if (!image) test("not run: no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)", () => undefined);
else {
  const engine = new Docker();
  const docker = { host: "unix:///var/run/docker.sock", ...dockerLimits, diskBytes: 32 * 1024 ** 2, files: 1_000 };
  const booted = bootRunner({ drivers: ["docker"], docker });
  const driver = { type: "docker", image, workspace: "/w", pullAlways: false, keepOnFailureMinutes: 0 } as const;
  const write = (path: string, mebibytes: number) => `dd if=/dev/zero of=${path} bs=1M count=${mebibytes} 2> /dev/null`;

  describe("a build that writes more than DOCKER_DISK", () => {
    test.each([
      ["the volume", [write("file", 48)]],
      ["the root of its container", [write("/root/file", 48)]],
      ["both together", [write("file", 24), write("/root/file", 24)]],
    ])("to %s is ended, and its output names the limit", async (_where, commands) => {
      const build = await booted.run(anAssignment({ driver }, [...commands, "while :; do sleep 1; done"], ["true"]));
      expect(build.outcomes).toEqual(["passed", "failed"]);
      expect(build.text.trimEnd().split("\n").at(-1)).toBe(
        "Killed: out of disk (limit 32 MiB); raise DOCKER_DISK or write less",
      );
    });

    test("in several jobs is ended in the last of them", async () => {
      const build = await booted.run(
        anAssignment({ driver }, [write("one", 24)], [write("two", 24), "while :; do sleep 1; done"]),
      );
      expect(build.outcomes).toEqual(["passed", "passed", "failed"]);
    });
  });

  describe("a volume that the image asks for", () => {
    const asking = { ...driver, image: "" };
    const tag = `test-${randomUUID()}`;
    beforeAll(async () => {
      asking.image = await deriveImage(engine, { base: image, tag, changes: "VOLUME /data" });
    });
    afterAll(() => engine.getImage(asking.image).remove());

    test.each([
      ["DOCKER_DISK", write("/data/file", 48), /^Killed: out of disk \(limit 32 MiB\)/],
      [
        "DOCKER_FILES",
        "i=0; while [ $i -lt 1500 ]; do : > /data/file$i; i=$((i+1)); done",
        /^Killed: too many files \(limit 1000\)/,
      ],
    ])("counts for %s", async (_limit, command, complaint) => {
      const commands = ["set +x", command, "while :; do sleep 1; done"];
      const build = await booted.run(anAssignment({ driver: asking }, commands));
      expect(build.outcomes).toEqual(["passed", "failed"]);
      expect(build.text.trimEnd().split("\n").at(-1)).toMatch(complaint);
    });
  });

  test.each([
    ["the volume", ""],
    ["the root of its container", "/root/"],
  ])("a build that makes more empty files than DOCKER_FILES in %s is ended", async (_where, folder) => {
    const make = `i=0; while [ $i -lt 1500 ]; do : > ${folder}file$i; i=$((i+1)); done`;
    const build = await booted.run(anAssignment({ driver }, ["set +x", make, "while :; do sleep 1; done"]));
    expect(build.outcomes).toEqual(["passed", "failed"]);
    expect(build.text.trimEnd().split("\n").at(-1)).toBe(
      "Killed: too many files (limit 1000); raise DOCKER_FILES or make fewer",
    );
  });

  test("a build that writes less passes, however long it takes", async () => {
    const build = await booted.run(anAssignment({ driver }, [write("file", 8), write("/root/file", 8), "sleep 5"]));
    expect(build.final).toBe("passed");
  });

  test("the engine's own numbers serve where the runner cannot look into the folders", async () => {
    const build = booted.submit(
      anAssignment({ driver }, [write("file", 8), write("/root/file", 8), "echo up; sleep 1000"]),
    );
    await eventually(() => expect(build.text).toContain("up"));
    const filters = { label: [`ci.build=${build.assignment.buildId}`] };
    const [found] = await engine.listContainers({ filters });
    const container = engine.getContainer(found!.Id);
    const volume = (await engine.listVolumes({ filters })).Volumes[0]!.Name;
    const what = { engine, volumes: [volume], containers: [container] };
    const used = [await engineUse(what), await diskUse({ ...what, path: process.env.PATH! })];
    for (const { bytes } of used) {
      expect(bytes).toBeGreaterThanOrEqual(16 * 1024 ** 2);
      expect(bytes).toBeLessThan(17 * 1024 ** 2);
    }
    booted.kill(build);
    await eventually(() => expect(build.final).toBeDefined());
  });

  test.each([
    ["the volume", "."],
    ["the root of its container", "/root"],
  ])("a build whose paths in %s are too long for the engine is ended", async (_where, folder) => {
    const name = "n".repeat(200);
    const dig = `cd ${folder}; i=0; while [ $i -lt 30 ]; do mkdir ${name}; cd -P ${name}; i=$((i+1)); done`;
    const build = booted.submit(anAssignment({ driver }, ["set +x", dig, "echo up; sleep 1000"]));
    await eventually(() => expect(build.text).toContain("up"));
    const filters = { label: [`ci.build=${build.assignment.buildId}`] };
    const [found] = await engine.listContainers({ filters });
    const volumes = (await engine.listVolumes({ filters })).Volumes.map((volume) => volume.Name);
    const measure = () => engineUse({ engine, volumes, containers: [engine.getContainer(found!.Id)] });
    using watch = watchDisk({ limitBytes: 32 * 1024 ** 2, maxFiles: 1_000, measure, onError: () => undefined });
    await eventually(() => expect(watch.signal.aborted).toBe(true));
    expect(watch.signal.reason.message).toBe(
      "Killed: disk use cannot be measured (limit 32 MiB of DOCKER_DISK); use shorter paths or fewer files",
    );
    booted.kill(build);
    await eventually(() => expect(build.final).toBeDefined());
  });
}
