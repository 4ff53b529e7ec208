import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { notRun } from "@ci/testkit/not-run";
import Docker from "dockerode";
import type { Driver } from "../src/driver.js";
import { dockerDriver } from "../src/drivers/docker.js";
import { workRoot } from "../src/drivers/work-root.js";
import { deriveImage, dockerOptions } from "./_docker.js";
import { never, orderOf, ran } from "./_subject.js";

const base = process.env.CI_TEST_IMAGE;

if (!base) notRun("labels of images", "no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)");
else {
  const engine = new Docker();
  const name = `test-${randomUUID()}`;
  let dir: string;
  let driver: Driver;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
    driver = dockerDriver(dockerOptions(name, await workRoot(dir, name)));
  });
  afterAll(() => rm(dir, { recursive: true }));

  /** Runs `use` with an order for an image with this label. */
  async function withLabel(label: string, use: (order: ReturnType<typeof orderOf>) => Promise<void>): Promise<void> {
    const image = await deriveImage(engine, { base: base!, tag: name, changes: `LABEL ${label}` });
    try {
      await use(orderOf({ order: { image, workspace: "/w" } }, ["exit 3", "exit 0"]));
    } finally {
      await engine.getImage(image).remove();
    }
  }

  test.each(["0", "7", "x"])("an image with the label exitCode=%s does not decide how its jobs end", (value) =>
    withLabel(`exitCode=${value}`, async (order) => {
      await using environment = driver.environment(order);
      await environment.prepare(() => undefined, never);
      const codes: number[] = [];
      for (const job of order.jobs) codes.push((await ran(environment, job)).code);
      expect(codes).toEqual([3, 0]);
    }),
  );

  test("an image's labels do not pass its containers off as those of another build, or as waiting ones", () =>
    withLabel("ci.spare=x ci.installation=other ci.runner=other ci.build=1 ci.epoch=7", async (order) => {
      const { installation: _one, ...mark } = order.mark;
      await using environment = driver.environment({ ...order, mark });
      await environment.prepare(() => undefined, never);
      const [found] = await engine.listContainers({ all: true, filters: { label: [`ci.runner=${name}`] } });
      expect(found!.Labels).toMatchObject({
        "ci.spare": "",
        "ci.installation": "",
        "ci.build": String(mark.buildId),
        "ci.epoch": "1",
      });
    }));
}
