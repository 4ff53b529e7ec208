import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import Docker from "dockerode";
import type { Driver, Mark } from "../src/driver.js";
import { dockerDriver } from "../src/drivers/docker.js";
import { workRoot } from "../src/drivers/work-root.js";
import { removeEarlier, sweep } from "../src/work/sweep.js";
import { installation } from "./_assignment.js";
import { dockerOptions } from "./_docker.js";
import { never, orderOf, ran } from "./_subject.js";

const image = process.env.CI_TEST_IMAGE;

if (!image) notRun("docker builds that run again", "no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)");
else {
  const engine = new Docker();
  const log = createLog("runner", "silent");
  let name: string;
  let dir: string;
  let first: Driver;
  let next: Driver;

  const open = async (max: number) =>
    dockerDriver(dockerOptions(name, await workRoot(dir, name), { spares: { max, keepMs: 600_000 } }));

  beforeEach(async () => {
    name = `test-${randomUUID()}`;
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
    first = await open(1);
    next = await open(0);
  });
  afterEach(async () => {
    await first.close?.();
    await eventually(async () => expect(await sweepBy(next)).toBe(0));
    await next.close?.();
    await rm(dir, { recursive: true });
  });

  const containers = async (status: string) =>
    (await engine.listContainers({ filters: { label: [`ci.runner=${name}`], status: [status] } })).map(({ Id }) => Id);

  const sweepBy = (one: Driver) =>
    sweep({
      drivers: [one],
      queue: { listLeases: async () => ({ leases: [], installation }) },
      ...{ runnerId: "id", running: () => [], log },
    });

  const newOrder = (script: string, cachePaths: readonly string[] = []) =>
    orderOf({ order: { image: image!, workspace: "/w" } }, [script], { cachePaths });

  /** Starts a build that does not end, and abandons it. */
  async function abandonBuild(cachePaths?: readonly string[]): Promise<Mark> {
    const order = newOrder("sleep 1000", cachePaths);
    const environment = first.environment(order);
    await environment.prepare(() => undefined, never);
    environment.run(order.jobs[0]!, async () => undefined, never).catch(() => undefined);
    await eventually(async () => expect(await containers("running")).toHaveLength(1));
    return order.mark;
  }

  /** Removes what a build left here, as its second attempt does. */
  const again = (mark: Mark) => removeEarlier(next, { ...mark, epoch: mark.epoch + 1 }, log);

  test("its container, network and volumes are gone before it runs again", async () => {
    const mark = await abandonBuild(["~/.cache"]);
    await again(mark);
    expect(await containers("running")).toEqual([]);
    expect(await sweepBy(next)).toBe(0);
  });

  test("they are gone although a sweep removes them at the same time", async () => {
    const mark = await abandonBuild(["~/.cache"]);
    await Promise.all([sweepBy(next), again(mark)]);
    expect(await containers("running")).toEqual([]);
    expect(await sweepBy(next)).toBe(0);
  });

  test("its container is gone although that waited for a build before", async () => {
    const earlier = newOrder("true");
    {
      await using environment = first.environment(earlier);
      await environment.prepare(() => undefined, never);
      await ran(environment, earlier.jobs[0]!);
    }
    const waiting = () => eventually(async () => expect(await containers("paused")).toHaveLength(1));
    await waiting();
    const mark = await abandonBuild();
    await waiting();
    await again(mark);
    expect(await containers("running")).toEqual([]);
  });
}
