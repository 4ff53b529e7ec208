import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import Docker from "dockerode";
import { anAssignment, newId } from "./_assignment.js";
import { bootRunner, inMoreTime } from "./_suite.js";

const image = process.env.CI_TEST_IMAGE;
const booted = bootRunner({ drivers: image ? ["os", "docker"] : ["os"] });
const { run, submit, kill } = booted;

const lastLine = ({ text }: { text: string }) => text.trimEnd().split("\n").at(-1);
const driver = {
  type: "docker",
  image: image ?? "",
  workspace: "/w",
  pullAlways: false,
  keepOnFailureMinutes: 0,
} as const;

/** Returns a build with one job that clones, over SSH: only git can do that. */
function buildCloning(more: Parameters<typeof anAssignment>[0]) {
  const { jobs, ...assignment } = anAssignment(more, []);
  const source = { url: "git@example.com:one.git", ref: "", directory: "one" };
  return { ...assignment, jobs: [jobs[0]!, { ...jobs[1]!, source }] };
}

describe("the last line says", () => {
  test.each([
    ["exit 3", "Job failed: exit code 3"],
    ["no-such-command", "Job failed: exit code 127 (a command was not found)"],
    ["/dev/null", "Job failed: exit code 126 (a command cannot be executed)"],
    ["kill -SEGV $$", "Job failed: exit code 139 (SIGSEGV)"],
    ["kill -9 $$", "Job failed: exit code 137 (SIGKILL, often because memory ran out)"],
    ["printf 'no newline'; exit 1", "Job failed: exit code 1"],
  ])("how %j ended", async (command, line) => {
    const build = await run(anAssignment({}, [command]));
    expect(lastLine(build)).toBe(line);
    expect(build.ends.at(-1)).toEqual([Number(/exit code (\d+)/.exec(line)![1]), line.replace("Job failed: ", "")]);
  });

  test("the exit code, after the artifacts and beyond the output limit", async () => {
    const { jobs, ...assignment } = anAssignment({ outputLimitBytes: 50 }, ["yes | head -c 1000", "exit 4"]);
    const artifacts = [{ id: newId(), source: "none", name: "none" }];
    const { text } = await run({ ...assignment, jobs: [jobs[0]!, { ...jobs[1]!, artifacts }] });
    expect(text).toMatch(
      /\n-- output truncated after \d+ bytes --\nCollecting artifact none => none\nartifact error: none: .+\nJob failed: exit code 4\n$/,
    );
  });

  test("nothing for a passed job, and the exit code for one that may fail", async () => {
    const { jobs, ...assignment } = anAssignment({}, ["exit 5"], ["echo on"]);
    const { text } = await run({ ...assignment, jobs: jobs.map((job, index) => ({ ...job, mayFail: index === 1 })) });
    expect(text).toContain("Job failed: exit code 5\n");
  });

  test("who killed the build", async () => {
    const build = submit(anAssignment({}, ["echo up; sleep 1000; :"]));
    await eventually(() => expect(build.text).toContain("\nup\n"));
    build.killedBy = "alice";
    kill(build);
    await eventually(() => expect(build.final).toBe("killed"));
    expect(lastLine(build)).toBe("Build killed by alice");
    expect(build.ends).toEqual([
      [undefined, undefined],
      [undefined, "killed by alice"],
    ]);
  });

  test("that the build timed out", async () => {
    const build = await inMoreTime(
      (buildTimeoutMs) => run(anAssignment({ buildTimeoutMs }, ["echo up; sleep 1000; :"])),
      ({ outcomes }) => outcomes.length > 1,
    );
    expect(lastLine(build)).toMatch(/^Build timed out after [\d.]+(ms|s|min); make it shorter or raise BUILD_TIMEOUT$/);
    expect(build.ends.at(-1)).toEqual([undefined, expect.stringMatching(/^timed out after [\d.]+(ms|s|min)$/)]);
  });

  test("that preparing timed out", async () => {
    const objects = [{ id: newId(), source: "never", name: "never", objectId: -1 }];
    booted.queue.objects.set(-1, "x".repeat(3_000_000));
    expect(lastLine(await run(anAssignment({ prepareTimeoutMs: 1, objects }, ["echo"])))).toBe(
      "Preparing the environment timed out after 1ms; raise PREPARE_TIMEOUT if it needs longer",
    );
  });

  test("that a clone finds no git on the host", async () => {
    const bin = join(booted.config.dir, "bin");
    await mkdir(bin);
    await symlink("/bin/mkdir", join(bin, "mkdir"));
    const variables = [{ key: "PATH", value: bin, masked: false }];
    expect(lastLine(await run(buildCloning({ variables })))).toBe(
      "The host of the runner has no git: install it there, or use another runner",
    );
  });

  test.each([
    [
      "A",
      "x".repeat(140 * 1024),
      /too large for a process \(14\d KiB together, 140 KiB in A\): shorten them, or use files/,
    ],
    ["A", "a\0b", /The variable A contains a NUL character, which no variable may contain: remove it/],
  ])("which variable %s no process can have", async (key, value, line) => {
    const build = await run(anAssignment({ variables: [{ key, value, masked: false }] }, ["echo never"]));
    expect([build.returned, build.outcomes]).toEqual([false, ["passed", "failed"]]);
    expect(lastLine(build)).toMatch(line);
    expect((await run(anAssignment({}, ["true"]))).final).toBe("passed");
  });

  test("xxxxxx for a secret", async () => {
    const variables = [{ key: "KEY", value: "exit code 6", masked: true }];
    const build = await run(anAssignment({ variables }, ["exit 6"]));
    expect(lastLine(build)).toBe("Job failed: xxxxxx");
    expect(build.ends.at(-1)).toEqual([6, "xxxxxx"]);
  });
});

if (image)
  describe("in docker the last line says", () => {
    const engine = new Docker();

    test("that memory ran out", async () => {
      const build = await run(anAssignment({ driver }, ["tail /dev/zero"]));
      expect(build.final).toBe("failed");
      expect(lastLine(build)).toBe("Killed: out of memory (limit 512 MiB); raise DOCKER_MEMORY or use less");
      expect(build.ends.at(-1)).toEqual([137, "out of memory"]);
    });

    test("which variable is too large", async () => {
      const [fits, tooLarge] = [131_069, 131_070].map((length) => ({
        key: "A",
        value: "x".repeat(length),
        masked: false,
      }));
      expect((await run(anAssignment({ driver, variables: [fits!] }, ["true"]))).final).toBe("passed");
      const line = /too large for a process \(12\d KiB together, 128 KiB in A\): shorten them, or use files/;
      expect(lastLine(await run(anAssignment({ driver, variables: [tooLarge!] }, ["true"])))).toMatch(line);
    });

    test("that the image has no git", async () => {
      expect(lastLine(await run(buildCloning({ driver })))).toBe(
        "The image has no git: use an image with git for a build with sources",
      );
    });

    test("that the image has no shell", async () => {
      const repo = `${booted.config.name.toLowerCase()}/empty`;
      const stream = await engine.importImage(Buffer.alloc(1024) as never, { repo, tag: "1" });
      await new Promise((resolve, reject) =>
        engine.modem.followProgress(stream, (error) => (error ? reject(error) : resolve(0))),
      );
      const build = await run(anAssignment({ driver: { ...driver, image: `${repo}:1` } }, ["echo"]));
      await engine.getImage(`${repo}:1`).remove();
      expect(lastLine(build)).toBe("The image has no /bin/sh: jobs need one, use an image with a shell");
    });

    test("why there is no environment", async () => {
      const build = await run(anAssignment({ driver: { ...driver, image: "no-such.invalid/image:1" } }, ["echo"]));
      expect(lastLine(build)).toMatch(/no-such\.invalid/);
    });
  });
