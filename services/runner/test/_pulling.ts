import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllow } from "@ci/kit/net/guard";
import { eventually } from "@ci/testkit/eventually";
import Docker from "dockerode";
import type { Driver, Order } from "../src/driver.js";
import { type DockerOptions, dockerDriver } from "../src/drivers/docker.js";
import { workRoot } from "../src/drivers/work-root.js";
import { installation } from "./_assignment.js";
import { dockerOptions } from "./_docker.js";
import { engineProxy } from "./_engine-proxy.js";
import { type Registry, serveHttp, serveImage } from "./_registry.js";
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

  /** Kills a build when the engine has its image and the runner does not know yet. Returns the image. */
  async function killedAfterLoad(localImages: (host: string) => readonly string[] = () => []) {
    await using proxy = await engineProxy();
    const blobs = await serveImage(name);
    const between = await serveHttp((request, response) => {
      proxy.become("unanswered");
      response.writeHead(307, { location: `http://${blobs.host}${request.url}` }).end();
    });
    const registry = await serveImage(name, { blobsAt: `http://${between.host}` });
    const called = `${registry.host}/x:1`;
    const guard = opened(registry, between, blobs);
    const killed = new AbortController();
    const options = { guard, host: proxy.host, localImages: localImages(registry.host) };
    const build = prepared(called, options, killed.signal);
    build.catch(() => undefined);
    const image = new Docker().getImage(called);
    await eventually(() => image.inspect());
    killed.abort(new Error("killed"));
    proxy.become("open");
    await expect(build).rejects.toThrow("killed");
    const stop = () => Promise.all([registry, between, blobs].map((one) => one[Symbol.asyncDispose]()));
    return { id: registry.id, called, guard, localImages: options.localImages, image, stop };
  }

  return { prepared, preparedTogether, killedAfterLoad, opened, failure, name: () => name, dir: () => dir };
}
