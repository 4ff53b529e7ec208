import { rm } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import Docker from "dockerode";
import { parseImageName } from "../src/drivers/docker/images/image-name.js";
import { pullPrivately } from "../src/drivers/docker/images/pull-privately.js";
import { unprovenImages } from "../src/drivers/docker/images/pulled.js";
import { workRoot } from "../src/drivers/work-root.js";
import { fileIn } from "./_docker.js";
import { pulling } from "./_pulling.js";
import { type Registry, serveHttp, serveImage, serveTokens } from "./_registry.js";

if (!process.env.CI_TEST_IMAGE)
  test("not run: no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)", () => undefined);
else {
  const engine = new Docker();
  const pulls = pulling();
  const { prepared, preparedTogether, opened, failure } = pulls;
  let name: string;

  beforeEach(() => {
    name = pulls.name();
  });

  describe.each(["docker", "oci"] as const)("the runner fetches an image of the %s format", (kind) => {
    test.each([
      ["of one platform", false],
      ["of several platforms", true],
    ])("%s, and the engine connects to nothing", async (_what, index) => {
      await using registry = await serveImage(name, { kind, index });
      const called = `${registry.host}/x:1`;
      const guard = opened(registry);
      expect(await prepared(called, { guard })).toEqual([
        `Pulling image ${called}`,
        `Using image ${called} (${registry.id})`,
      ]);
      expect(await fileIn(engine, called)).toBe(name);
      // An engine asks for this first.
      expect(registry.asked).not.toContain("/v2/");
      await engine.getImage(called).remove();
    });
  });

  test("with an anonymous token and blobs at another host", async () => {
    await using tokens = await serveTokens();
    await using blobs = await serveImage(name);
    const options = { realm: `http://${tokens.host}/token?a=b`, blobsAt: `http://${blobs.host}` };
    await using registry = await serveImage(name, options);
    const called = `${registry.host}/x:1`;
    await prepared(called, { guard: opened(registry, tokens, blobs) });
    expect(tokens.asked).toEqual(["/token?a=b&service=test&scope=repository%3Ax%3Apull"]);
    expect(await fileIn(engine, called)).toBe(name);
    await engine.getImage(called).remove();
  });

  test("by its digest, which no tag of the registry can stand for", async () => {
    await using registry = await serveImage(name, { index: true });
    const guard = opened(registry);
    const called = `${registry.host}/x:1@${registry.digest}`;
    const using = `Using image ${called} (${registry.id})`;
    expect(await prepared(called, { guard })).toEqual([`Pulling image ${called}`, using]);
    expect(await prepared(called, { guard })).toEqual([using]);
    const wrong = `${registry.host}/x@sha256:${"0".repeat(64)}`;
    expect(await failure(wrong, { guard })).toBe(
      `Image ${wrong} could not be pulled: it does not exist, or it needs a login`,
    );
    await engine.getImage(registry.id).remove();
  });

  test("and continues after a lost connection", async () => {
    await using registry = await serveImage(name, { breakOff: true });
    const called = `${registry.host}/x:1`;
    await prepared(called, { guard: opened(registry) });
    expect(await fileIn(engine, called)).toBe(name);
    await engine.getImage(called).remove();
  });

  test("once: if a tag still names the image, only its manifest is read again", async () => {
    await using registry = await serveImage(name);
    const called = `${registry.host}/x:latest`;
    await prepared(called, { guard: opened(registry) });
    const before = registry.asked.length;
    await prepared(called, { guard: opened(registry) });
    expect(registry.asked.slice(before)).toEqual(["/v2/x/manifests/latest"]);
    await engine.getImage(called).remove();
  });

  test("but an image that lies on the engine for others is fetched although a manifest names it", async () => {
    await using registry = await serveImage(name);
    const guard = opened(registry);
    await prepared(`${registry.host}/x:1`, { guard });
    await rm(pulls.dir(), { recursive: true });
    const before = registry.asked.length;
    await prepared(`${registry.host}/x:2`, { guard });
    expect(registry.asked.slice(before).filter((path) => path.includes("/blobs/"))).toHaveLength(2);
    await engine.getImage(`${registry.host}/x:1`).remove();
    await engine.getImage(`${registry.host}/x:2`).remove();
  });

  test.each([
    ["is not packed", (tar: Buffer) => tar],
    [
      "is packed in several members",
      (tar: Buffer) => Buffer.concat([tar.subarray(0, 700), tar.subarray(700)].map((part) => gzipSync(part))),
    ],
  ])("with a layer that %s", async (_how, packed) => {
    await using registry = await serveImage(name, { packed });
    const called = `${registry.host}/x:1`;
    await prepared(called, { guard: opened(registry) });
    expect(await fileIn(engine, called)).toBe(name);
    await engine.getImage(called).remove();
  });

  test("the engine itself pulls from a trusted registry", async () => {
    await using registry = await serveImage(name);
    const called = `${registry.host}/x:1`;
    await prepared(called, { registries: [registry.host] });
    expect(registry.asked).toContain("/v2/");
    await engine.getImage(called).remove();
  });

  describe("an image that needs a login", () => {
    const login = "ann:s3cret";
    const loginsFor = ({ host }: Registry, as = login) =>
      JSON.stringify({ auths: { [host]: { auth: Buffer.from(as).toString("base64") } } });
    const refused = (called: string) =>
      `Image ${called} could not be pulled: it does not exist, or its registry refuses the login`;

    test("is fetched with that of the build, and no other build gets it", async () => {
      await using registry = await serveImage(name, { login });
      const called = `${registry.host}/x:1`;
      const options = { guard: opened(registry), localImages: ["*"] };
      const logins = loginsFor(registry);
      const using = `Using image ${called} (${registry.id})`;
      expect(await prepared(called, { ...options, logins })).toEqual([`Pulling image ${called}`, using]);
      expect(await failure(called, options)).toBe(
        `Image ${called} could not be pulled: it does not exist, or it needs a login`,
      );
      expect(await failure(called, { ...options, logins: loginsFor(registry, "eve:guess") })).toBe(refused(called));
      expect(await prepared(called, { ...options, logins })).toEqual([using]);
      await engine.getImage(registry.id).remove({ force: true });
    });

    test("is fetched with a token for that login", async () => {
      await using tokens = await serveTokens(login);
      await using registry = await serveImage(name, { realm: `http://${tokens.host}/token` });
      const called = `${registry.host}/x:1`;
      const options = { guard: opened(registry, tokens) };
      expect(await failure(called, options)).toMatch("it needs a login");
      await prepared(called, { ...options, logins: loginsFor(registry) });
      await engine.getImage(registry.id).remove({ force: true });
    });

    test("of a trusted registry is pulled by the engine, and no other build gets it", async () => {
      await using registry = await serveImage(name, { login });
      const called = `${registry.host}/x:1`;
      const options = { registries: [registry.host], localImages: ["*"] };
      const logins = loginsFor(registry);
      await prepared(called, { ...options, logins });
      await expect(engine.getImage(called).inspect()).rejects.toMatchObject({ statusCode: 404 });
      expect(await failure(called, options)).toMatch("could not be pulled");
      expect(await prepared(called, { ...options, logins })).toEqual([`Using image ${called} (${registry.id})`]);
      await engine.getImage(registry.id).remove({ force: true });
    });

    test("does not take away the copy that others use under the same name", async () => {
      await using open = await serveImage(name);
      const called = `${open.host}/x:1`;
      await prepared(called, { guard: opened(open) });
      await prepared(called, { registries: [open.host], logins: loginsFor(open) });
      expect(await prepared(called, { guard: opened(open) })).toEqual([`Using image ${called} (${open.id})`]);
      await engine.getImage(open.id).remove({ force: true });
    });

    test.each([
      ["and keeps no name that others know", undefined, false],
      ["and keeps its name if one needs no login", '{"auths": {}}', true],
    ])("is pulled by builds with different logins at the same time, %s", async (_what, last, keeps) => {
      await using registry = await serveImage(name);
      const called = `${registry.host}/x:1`;
      const users = ["ann:1", "ben:2", "cem:3", "dan:4", "eva:5"].map((user) => loginsFor(registry, user));
      const logins = last === undefined ? users : [...users.slice(0, 2), last, ...users.slice(2)];
      const builds = await preparedTogether(called, { registries: [registry.host] }, logins);
      const value = [`Pulling image ${called}`, `Using image ${called} (${registry.id})`];
      expect(builds).toEqual(logins.map(() => ({ status: "fulfilled", value })));
      const { RepoTags: names } = await engine.getImage(registry.id).inspect();
      expect(names.includes(called)).toBe(keeps);
      await engine.getImage(registry.id).remove({ force: true });
    });

    test("whose pull was cut short by a crash cannot be used without a pull", async () => {
      await using registry = await serveImage(name);
      const called = `${registry.host}/x:1`;
      const options = { guard: opened(registry), localImages: ["*"] };
      await prepared(called, options);
      const root = await workRoot(pulls.dir(), name);
      await unprovenImages(root.path).add(called);
      await rm(join(root.path, "pulled-images.json"));
      expect(await prepared(called, options)).toContain(`Pulling image ${called}`);
      expect(await prepared(called, options)).toEqual([`Using image ${called} (${registry.id})`]);
      await engine.getImage(registry.id).remove({ force: true });
    });

    test("whose pull was cut short cannot be used under another spelling of its name either", async () => {
      const unproven = unprovenImages((await workRoot(pulls.dir(), name)).path);
      const cut = { login: { username: "ann", password: "s3cret" }, unproven, signal: AbortSignal.abort() };
      await expect(pullPrivately(engine, parseImageName(`docker.io/library/${name}:1`), cut)).rejects.toThrow();
      await engine.getImage(process.env.CI_TEST_IMAGE!).tag({ repo: name, tag: "1" });
      const options = { registries: ["127.0.0.1:1"], localImages: ["*"] };
      for (const spelling of [`${name}:1`, `library/${name}:1`, `docker.io/${name}:1`])
        expect(await failure(spelling, options)).toMatch("This runner pulls no images from docker.io");
      await engine.getImage(`${name}:1`).remove();
    });

    test("is refused with an unreadable login", async () => {
      expect(await failure("127.0.0.1:1/x:1", { logins: "{" })).toBe(
        "DOCKER_AUTH_CONFIG is not the content of a Docker config file with `auths`",
      );
    });
  });

  test("a build that is killed while its image is fetched leaves nothing", async () => {
    const killed = new AbortController();
    await using registry = await serveHttp((request, response) => {
      const digest = `sha256:${"2".repeat(64)}`;
      if (request.url!.includes("/manifests/"))
        return response.end(JSON.stringify({ schemaVersion: 2, config: { digest, size: 9 }, layers: [] }));
      response.write("x");
      return killed.abort(new Error("killed"));
    });
    await expect(prepared(`${registry.host}/x:1`, { guard: opened(registry) }, killed.signal)).rejects.toThrow(
      "killed",
    );
  });
}
