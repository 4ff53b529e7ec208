import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllow } from "@ci/kit/net/guard";
import type { Driver, Order } from "../src/driver.js";
import { type DockerOptions, dockerDriver } from "../src/drivers/docker.js";
import { workRoot } from "../src/drivers/work-root.js";
import { installation } from "./_assignment.js";
import { dockerOptions } from "./_docker.js";
import type { Registry } from "./_registry.js";
import { never } from "./_subject.js";

interface Prepared extends Partial<DockerOptions>, Partial<Pick<Order, "logins" | "jobs">> {
  /** Does something with the driver once the build is gone. */
  readonly then?: (driver: Driver) => Promise<void>;
}

/** Gives each test of a file a runner of its own, whose builds pull images. */
export function pulling() {
  let name: string;
  let dir: string;
  let buildId = 0;

  beforeEach(async () => {
    name = `test-${randomUUID()}`;
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
  });
  afterEach(() => rm(dir, { recursive: true }));

  const opened = (...registries: Registry[]) => ({ allow: parseAllow(registries.map(({ host }) => host).join()) });

  type Asked = Partial<Pick<Order, "logins" | "jobs">>;

  const driverWith = async (options: Partial<DockerOptions>): Promise<Driver> =>
    dockerDriver(dockerOptions(name, await workRoot(dir, name), { localImages: [], ...options }));

  async function saidBy(driver: Driver, image: string, { logins, jobs = [] }: Asked, signal = never) {
    const lines: string[] = [];
    await using environment = driver.environment({
      ...{ mark: { installation, buildId: ++buildId, epoch: 1 }, owner: { userId: 1, namespaceOnly: false } },
      ...{ image, workspace: "/w", pullAlways: false, variables: [], jobs, logins },
    });
    await environment.prepare((line) => void lines.push(line), signal);
    return lines;
  }

  /** Prepares a build with an image and returns what it says. */
  async function prepared(image: string, more: Prepared, signal = never): Promise<string[]> {
    const { logins, jobs, then, ...options } = more;
    const driver = await driverWith(options);
    try {
      const lines = await saidBy(driver, image, { logins, jobs }, signal);
      await then?.(driver);
      return lines;
    } finally {
      await driver.close?.();
    }
  }

  /** Prepares builds with an image at the same time, one with each of the logins. */
  async function preparedTogether(
    image: string,
    options: Partial<DockerOptions>,
    logins: readonly Order["logins"][],
  ): Promise<PromiseSettledResult<string[]>[]> {
    const driver = await driverWith(options);
    try {
      return await Promise.allSettled(logins.map((login) => saidBy(driver, image, { logins: login })));
    } finally {
      await driver.close?.();
    }
  }

  const failure = (image: string, more: Prepared): Promise<string> =>
    prepared(image, more).then(
      () => "the build was prepared",
      (error) => error.message,
    );

  return { prepared, preparedTogether, opened, failure, name: () => name, dir: () => dir };
}
