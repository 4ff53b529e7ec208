import type { Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import Docker from "dockerode";
import { anAssignment, newId } from "./_assignment.js";
import { bootRunner } from "./_suite.js";

const image = process.env.CI_TEST_IMAGE;

if (!image) test("not run: no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)", () => undefined);
else {
  const engine = new Docker();
  const booted = bootRunner({ drivers: ["docker"], builds: 1 });
  const { run, submit, kill } = booted;

  const inDocker = (more: Partial<Assignment>, ...jobs: string[][]) =>
    anAssignment(
      { driver: { type: "docker", image, workspace: "/build", pullAlways: false, keepOnFailureMinutes: 0 }, ...more },
      ...jobs,
    );

  /** Lists the engine's objects that belong to builds of this runner. */
  async function traces(): Promise<string[]> {
    const filters = { label: [`ci.runner=${booted.config.name}`] };
    const containers = await engine.listContainers({ all: true, filters });
    const networks = await engine.listNetworks({ filters });
    const { Volumes } = await engine.listVolumes({ filters });
    return [
      ...containers.map(({ Id }) => Id),
      ...networks.map(({ Id }) => Id),
      ...(Volumes ?? []).map(({ Name }) => Name),
    ];
  }

  afterEach(async () => {
    await eventually(async () => expect(await traces()).toEqual([]));
    await eventually(async () => expect(await booted.folders()).toEqual([]));
  });

  test("the runner runs a build from its objects to its artifacts", async () => {
    const objectIds = [newId(), newId()];
    for (const id of objectIds) booted.queue.objects.set(id, `content of ${id}`);
    const objects = [
      { id: newId(), source: "a", name: "in/a", objectId: objectIds[0] },
      { id: newId(), source: "b", name: "/opt/b", objectId: objectIds[1] },
    ];
    const keys = [{ name: "id", privateKey: "-----BEGIN-----\nAAAAAAAAAAAAAAAAAAAAAAAA\n-----END-----\n", config: "" }];
    const assignment = inDocker(
      { objects, keys },
      ["cat in/a", "mv in/a moved"],
      ["cat moved /opt/b", "ls /root/.ssh"],
    );
    const [prepare, first, second] = assignment.jobs;
    const artifacts = [
      { id: newId(), source: "m*", name: "m*" },
      { id: newId(), source: "/opt/b", name: "b" },
    ];
    const {
      outcomes,
      text,
      placed,
      artifacts: collected,
    } = await run({ ...assignment, jobs: [prepare!, first!, { ...second!, artifacts }] });
    expect({ outcomes, placed }).toEqual({
      outcomes: ["passed", "passed", "passed"],
      placed: objects.map(({ id }) => id),
    });
    expect(text).toContain(
      `+ cat moved /opt/b\ncontent of ${objectIds[0]}content of ${objectIds[1]}+ ls /root/.ssh\nconfig\nid\n`,
    );
    expect(collected.map(({ header, content }) => [header.source, header.name, content.toString()])).toEqual([
      ["moved", "moved", `content of ${objectIds[0]}`],
      [undefined, undefined, `content of ${objectIds[1]}`],
    ]);
  });

  test("an object below a cached path in the home replaces what earlier builds kept there", async () => {
    const caches = [{ name: "home", key: [], paths: ["~/.cache"] }];
    await run(inDocker({ caches }, ["echo old > /root/.cache/given && echo kept > /root/.cache/other"]));
    const objectId = newId();
    booted.queue.objects.set(objectId, "of this build\n");
    const objects = [{ id: newId(), source: "given", name: "/root/.cache/given", objectId }];
    const show = "cat /root/.cache/given /root/.cache/other";
    const { text } = await run(
      inDocker({ caches, objects }, [show, "echo changed > /root/.cache/given"], [show], [show]),
    );
    expect(text.split(`+ ${show}\n`).slice(1)).toEqual([
      "of this build\nkept\n+ echo changed\n",
      "changed\nkept\n",
      expect.stringMatching(/^changed\nkept\nCache home: left out 1 files that the build places\n/),
    ]);
  });

  test("a build whose preparation fails ends with the reason in its output", async () => {
    const driver = {
      type: "docker" as const,
      image: "no-such.invalid/image:1",
      workspace: "/w",
      pullAlways: false,
      keepOnFailureMinutes: 0,
    };
    const { outcomes, text } = await run(inDocker({ driver }, ["echo never"]));
    expect(outcomes).toEqual(["failed"]);
    expect(text).toMatch(/^Pulling image no-such.invalid\/image:1\n.+\n$/);
  });

  test("a kill ends the running container", async () => {
    const build = submit(inDocker({}, ["echo up; sleep 1000; :"], ["echo never"]));
    await eventually(() => expect(build.text).toContain("\nup\n"));
    kill(build);
    await eventually(() => expect(build.final).toBe("killed"));
    expect(build.outcomes).toEqual(["passed", "killed"]);
  });

  test("the runner does not keep 300 MB of output in memory", async () => {
    const bytesBefore = process.memoryUsage().rss;
    let maxBytes = bytesBefore;
    const watch = setInterval(() => {
      maxBytes = Math.max(maxBytes, process.memoryUsage().rss);
    }, 20);
    const { outcomes, text } = await run(
      inDocker({ outputLimitBytes: 4 * 1024 ** 2 }, ["yes 0123456789 | head -c 300000000"]),
    );
    clearInterval(watch);
    expect(outcomes).toEqual(["passed", "passed"]);
    expect(text).toContain(`-- output truncated after ${4 * 1024 ** 2} bytes --\n`);
    // The test's own queue keeps the text too.
    expect(maxBytes - bytesBefore).toBeLessThan(128 * 1024 ** 2 + 3 * text.length);
  });
}
