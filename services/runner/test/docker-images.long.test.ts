import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllow } from "@ci/kit/net/guard";
import Docker from "dockerode";
import type { Order } from "../src/driver.js";
import { type DockerOptions, dockerDriver } from "../src/drivers/docker.js";
import { workRoot } from "../src/drivers/work-root.js";
import { mayPass } from "../src/endings/errors.js";
import { installation } from "./_assignment.js";
import { dockerOptions } from "./_docker.js";
import { type Registry, serveHttp, serveImage } from "./_registry.js";
import { never } from "./_subject.js";

const image = process.env.CI_TEST_IMAGE;

if (!image) test("not run: no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)", () => undefined);
else {
  const engine = new Docker();
  const name = `test-${randomUUID()}`;
  const allowAll = { allow: parseAllow("127.0.0.0/8") };
  let dir: string;
  let buildId = 0;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
  });
  afterAll(() => rm(dir, { recursive: true }));

  type Asked = DockerOptions & Pick<Order, "pullAlways" | "pullIfNotPresent">;

  /** Prepares a build with an image and returns what it says. */
  async function prepared(image: string, more: Partial<Asked>, runner = name, lines: string[] = []) {
    const { pullAlways = false, pullIfNotPresent, ...options } = more;
    const root = await workRoot(dir, runner);
    const driver = dockerDriver(dockerOptions(runner, root, { localImages: [], ...options }));
    await using environment = driver.environment({
      ...{ mark: { installation, buildId: ++buildId, epoch: 1 }, owner: { userId: 1, namespaceOnly: false } },
      ...{ image, workspace: "/w", pullAlways, pullIfNotPresent, variables: [], jobs: [] },
    });
    await environment.prepare((line) => void lines.push(line), never);
    return lines;
  }

  const failure = (image: string, more: Partial<DockerOptions> = {}): Promise<Error> =>
    prepared(image, more).then(
      () => new Error("the build was prepared"),
      (error) => error,
    );

  describe("a registry at a private address", () => {
    test("is never asked, unless the guard allows it", async () => {
      await using registry = await serveHttp((_request, response) => response.writeHead(404).end("internal page"));
      expect((await failure(`${registry.host}/x:1`)).message).toBe(
        `Images cannot be pulled from ${registry.host}: address not allowed`,
      );
      expect(registry.asked).toEqual([]);
      expect((await failure(`${registry.host}/x:1`, { guard: allowAll })).message).toMatch(/could not be pulled/);
      expect(registry.asked).not.toEqual([]);
    });
  });

  describe("the text of a registry is not shown", () => {
    const page = "page of an internal service: secret-7";

    test.each<[string, (registry: Registry) => Parameters<typeof serveHttp>[0]]>([
      ["a page", () => (_request, response) => response.writeHead(500).end(page)],
      [
        "an error",
        () => (_request, response) => {
          response.writeHead(403, { "content-type": "application/json" });
          response.end(JSON.stringify({ errors: [{ code: "DENIED", message: page }] }));
        },
      ],
      [
        "a realm",
        (internal) => (_request, response) => {
          response.writeHead(401, { "www-authenticate": `Bearer realm="http://${internal.host}/token",service="x"` });
          response.end();
        },
      ],
    ])("that answers with %s", async (_what, answer) => {
      await using internal = await serveHttp((_request, response) => response.writeHead(404).end(page));
      await using registry = await serveHttp(answer(internal));
      const reasons = "the runner's log says why|its registry does not work|it does not exist, or it needs a login";
      const message = expect.stringMatching(
        new RegExp(`^Image ${registry.host}/x:1 could not be pulled: (${reasons})$`),
      );
      for (const more of [{ guard: allowAll }, { registries: [registry.host] }]) {
        registry.asked.length = 0;
        expect(await failure(`${registry.host}/x:1`, more)).toMatchObject({ name: "Fault", message });
        expect(registry.asked).not.toEqual([]);
      }
    });

    test("and does not pass for trouble of the engine's disk, which would stop the runner", async () => {
      await using registry = await serveHttp((_request, response) => {
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify({ errors: [{ code: "UNKNOWN", message: "write /x: no space left on device" }] }));
      });
      const error = await failure(`${registry.host}/x:1`, { registries: [registry.host] });
      expect([error.name, mayPass(error)]).toEqual(["Fault", false]);
    });
  });

  describe("an image that lies on the engine", () => {
    test("is not for builds if nobody pulled it for them, whatever it is called", async () => {
      const { Id: id } = await engine.getImage(image).inspect();
      for (const called of [image, id, id.slice("sha256:".length, 20)])
        expect((await failure(called)).message).toMatch(/could not be pulled/);
    });

    test("names the setting when it is not for builds, whether or not the engine has it", async () => {
      const hint = expect.stringContaining("DOCKER_LOCAL_IMAGES");
      for (const called of [image, "no-such-image:1"]) {
        const said: string[] = [];
        await expect(prepared(called, {}, name, said)).rejects.toThrow(/could not be pulled/);
        expect(said).toEqual([expect.stringMatching(/^Pulling image /), hint]);
      }
      const said: string[] = [];
      await expect(prepared("no-such-image:1", { localImages: ["*"] }, name, said)).rejects.toThrow();
      expect(said).not.toContainEqual(hint);
    });

    test("is for builds if DOCKER_LOCAL_IMAGES names it", async () => {
      const [repository] = image.split("/");
      for (const localImages of [[image], [`${repository}/*`], ["other", "*"]])
        expect(await prepared(image, { localImages })).toEqual([expect.stringMatching(/^Using image /)]);
      for (const localImages of [[`${image}0`], [image.slice(0, -1)], [image.replace(/\W/, "x")]])
        expect((await failure(image, { localImages })).message).toMatch(/could not be pulled/);
    });

    test.each(["1", "latest"])("keeps its name and tag %s if DOCKER_LOCAL_IMAGES names it", async (tag) => {
      await using registry = await serveImage(name);
      const repo = `${registry.host}/x`;
      const { Id: own } = await engine.getImage(image).inspect();
      await engine.getImage(image).tag({ repo, tag });
      const options = { guard: allowAll, pullAlways: true, localImages: ["*", `${repo}:*`] };
      const kept = `Image ${repo}:${tag} is not pulled: this runner has its own`;
      for (const registries of [[], [registry.host]])
        expect(await prepared(`${repo}:${tag}`, { ...options, registries })).toEqual([
          kept,
          expect.stringContaining(own),
        ]);
      expect(registry.asked).toEqual([]);
      expect((await engine.getImage(`${repo}:${tag}`).inspect()).Id).toBe(own);
      await engine.getImage(`${repo}:${tag}`).remove();
      const pulled = [`Pulling image ${repo}:${tag}`, expect.stringContaining(registry.id)];
      for (const _ of ["first", "again"]) expect(await prepared(`${repo}:${tag}`, options)).toEqual(pulled);
      await engine.getImage(image).tag({ repo, tag });
      expect((await prepared(`${repo}:${tag}`, options))[0]).toBe(kept);
      expect(await prepared(`${repo}:${tag}`, { ...options, localImages: ["*"] })).toEqual(pulled);
      await engine.getImage(`${repo}:${tag}`).remove();
    });

    test("keeps its name in every spelling", async () => {
      await engine.getImage(image).tag({ repo: name, tag: "1" });
      const spellings = ["", "library/", "docker.io/", "docker.io/library/"].map((place) => `${place}${name}:1`);
      for (const called of [...spellings, `index.docker.io/${name}:1`])
        for (const spelling of spellings)
          expect(await prepared(called, { pullAlways: true, localImages: [spelling] })).toEqual([
            `Image ${called} is not pulled: this runner has its own`,
            expect.stringMatching(/^Using image /),
          ]);
      await engine.getImage(`${name}:1`).remove();
    });

    test("is for the builds of the runner that pulled it, after a restart too", async () => {
      const registry = await serveImage(name);
      const called = `${registry.host}/x:1`;
      const options = { guard: allowAll };
      expect(await prepared(called, options)).toEqual([`Pulling image ${called}`, expect.stringMatching(/^Using /)]);
      await registry[Symbol.asyncDispose]();
      expect(await prepared(called, options)).toEqual([expect.stringMatching(/^Using image /)]);
      await expect(prepared(called, options, `${name}-other`)).rejects.toThrow(/could not be pulled/);
      await engine.getImage(called).remove();
    });

    test("is used without a question to the registry if the manifest says so, whatever its tag", async () => {
      await using registry = await serveImage(name);
      const [given, called] = [`${registry.host}/x`, `${registry.host}/x:latest`];
      const options = { guard: allowAll, pullIfNotPresent: true };
      const using = expect.stringMatching(/^Using image /);
      expect(await prepared(given, options)).toEqual([`Pulling image ${called}`, using]);
      registry.asked.length = 0;
      for (const image of [given, called]) expect(await prepared(image, options)).toEqual([using]);
      expect(registry.asked).toEqual([]);
      expect(await prepared(given, { guard: allowAll })).toEqual([`Pulling image ${called}`, using]);
      expect(registry.asked).not.toEqual([]);
      await engine.getImage(called).remove();
    });

    test("is not used because the manifest says so, if it is not for builds", async () => {
      await using registry = await serveImage(name);
      const called = `${registry.host}/x:1`;
      await prepared(called, { guard: allowAll }, `${name}-other`);
      const options = { guard: allowAll, pullIfNotPresent: true };
      expect(await prepared(called, options)).toEqual([`Pulling image ${called}`, expect.stringMatching(/^Using /)]);
      await engine.getImage(called).remove();
    });
  });
}
