import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parseAllow } from "@ci/kit/net/guard";
import Docker from "dockerode";
import type { Order } from "../src/driver.js";
import { unprovenImages } from "../src/drivers/docker/pulled.js";
import { type DockerOptions, dockerDriver } from "../src/drivers/docker.js";
import { workRoot } from "../src/drivers/work-root.js";
import { installation } from "./_assignment.js";
import { dockerOptions, fileIn } from "./_docker.js";
import { diffIdOf, type Registry, serveHttp, serveImage, serveTokens } from "./_registry.js";
import { never } from "./_subject.js";

if (!process.env.CI_TEST_IMAGE)
  test("not run: no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)", () => undefined);
else {
  const engine = new Docker();
  let name: string;
  let dir: string;
  let buildId = 0;

  beforeEach(async () => {
    name = `test-${randomUUID()}`;
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
  });
  afterEach(() => rm(dir, { recursive: true }));

  const opened = (...registries: Registry[]) => ({ allow: parseAllow(registries.map(({ host }) => host).join()) });

  type Prepared = Partial<DockerOptions> & Partial<Pick<Order, "logins" | "jobs">>;

  /** Prepares a build with an image and returns what it says. */
  async function prepared(image: string, more: Prepared, signal = never): Promise<string[]> {
    const { logins, jobs = [], ...options } = more;
    const driver = dockerDriver(dockerOptions(name, await workRoot(dir, name), { localImages: [], ...options }));
    const lines: string[] = [];
    try {
      await using environment = driver.environment({
        ...{ mark: { installation, buildId: ++buildId, epoch: 1 }, owner: { userId: 1, namespaceOnly: false } },
        ...{ image, workspace: "/w", pullAlways: false, variables: [], jobs, logins },
      });
      await environment.prepare((line) => void lines.push(line), signal);
      return lines;
    } finally {
      await driver.close?.();
    }
  }

  /** Makes the layer's file one with holes, as old programs write it. */
  const sparse = (tar: Buffer): Buffer => {
    const sum = Number.parseInt(tar.toString("latin1", 148, 154), 8) + "S".charCodeAt(0) - tar[156]!;
    tar.write("S", 156);
    tar.write(sum.toString(8).padStart(6, "0"), 148);
    return tar;
  };

  const brokenGzip = (tar: Buffer): Buffer => {
    const packed = gzipSync(tar);
    return packed.fill(0xff, 12);
  };

  const failure = (image: string, more: Prepared): Promise<string> =>
    prepared(image, more).then(
      () => "the build was prepared",
      (error) => error.message,
    );

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
    await rm(dir, { recursive: true });
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

  describe("an image cannot contain a layer of another one that it only names", () => {
    const layers = (digest: string) => ({ type: "layers", diff_ids: [digest] });

    test.each<[string, (secret: string, own: string) => Record<string, unknown>]>([
      ["in its configuration", (secret) => ({ rootfs: layers(secret) })],
      ["in a second field that an engine prefers", (secret, own) => ({ rootfs: layers(own), RootFS: layers(secret) })],
      [
        "in a second list that an engine prefers",
        (secret, own) => ({ rootfs: { ...layers(own), Diff_IDs: [secret] } }),
      ],
    ])("%s", async (_where, rootfs) => {
      const login = "ann:s3cret";
      const secret = `${name} secret`;
      await using privateOne = await serveImage(secret, { login });
      const logins = JSON.stringify({ auths: { [privateOne.host]: { auth: Buffer.from(login).toString("base64") } } });
      await prepared(`${privateOne.host}/x:1`, { guard: opened(privateOne), logins });
      await using registry = await serveImage(name, { rootfs: rootfs(await diffIdOf(secret), await diffIdOf(name)) });
      const called = `${registry.host}/x:1`;
      expect(await failure(called, { guard: opened(registry) })).toMatch(
        /could not be pulled: (?:its layers are not those of its configuration|the format of its configuration is not supported)$/,
      );
      await expect(engine.getImage(called).inspect()).rejects.toMatchObject({ statusCode: 404 });
      await engine.getImage(privateOne.id).remove({ force: true });
    });
  });

  describe("an image is refused", () => {
    test.each<[string, Parameters<typeof serveImage>[1], Partial<DockerOptions>, string]>([
      ["if a layer is not what its manifest promises", { corrupt: true }, {}, "its content does not match its digest"],
      ["if a layer cannot be unpacked", { packed: brokenGzip }, {}, "its layers cannot be unpacked"],
      ["if a layer contains a sparse file", { packed: sparse }, {}, "its layers contain sparse files"],
      [
        "if a layer is packed in a way whose size only the engine would learn",
        { packed: () => Buffer.from("BZh91AY&SY") },
        {},
        "its layers are packed with bzip2 or xz, which is not supported",
      ],
      ["if it is too large", {}, { pullBytes: 100 }, "it is larger than 100 bytes, the limit of DOCKER_PULL_LIMIT"],
      [
        "if it unpacks to too much",
        {},
        { pullBytes: 1_000 },
        "it is larger than 1000 bytes, the limit of DOCKER_PULL_LIMIT",
      ],
    ])("%s", async (_why, options, more, reason) => {
      await using registry = await serveImage(name, options);
      const called = `${registry.host}/x:1`;
      expect(await failure(called, { guard: opened(registry), ...more })).toBe(
        `Image ${called} could not be pulled: ${reason}`,
      );
      await expect(engine.getImage(called).inspect()).rejects.toMatchObject({ statusCode: 404 });
    });

    test.each([
      [
        "if it has no variant for this processor",
        { schemaVersion: 2, manifests: [] },
        /^it has no variant for linux\//,
      ],
      ["if its format is old", { schemaVersion: 1, fsLayers: [] }, /^its format is not supported$/],
      ["if it has no digests", { schemaVersion: 2, config: {}, layers: [{}] }, /^its format is not supported$/],
    ])("%s", async (_why, manifest, reason) => {
      await using registry = await serveHttp((_request, response) => response.end(JSON.stringify(manifest)));
      const said = await failure(`${registry.host}/x:1`, { guard: opened(registry) });
      expect(said.replace(/^.*could not be pulled: /, "")).toMatch(reason);
    });
  });

  describe("a hostile registry cannot make a request to a private address", () => {
    const realm = (host: string) => ({ "www-authenticate": `Bearer realm="http://${host}/token",service="x"` });
    const digest = `sha256:${"1".repeat(64)}`;
    const manifest = {
      ...{ schemaVersion: 2, mediaType: "application/vnd.docker.distribution.manifest.v2+json" },
      ...{ config: { digest, size: 9 }, layers: [] },
    };

    test.each<[string, (canary: string) => Parameters<typeof serveHttp>[0]]>([
      [
        "through the server of its tokens",
        (canary) => (_request, response) => response.writeHead(401, realm(canary)).end(),
      ],
      [
        "through a redirect of the manifest",
        (canary) => (request, response) =>
          request.url === "/v2/"
            ? response.end("{}")
            : response.writeHead(302, { location: `http://${canary}${request.url}` }).end(),
      ],
      [
        "through a redirect of a blob",
        (canary) => (request, response) => {
          if (request.url === "/v2/") return response.end("{}");
          if (request.url!.includes("/blobs/"))
            return response.writeHead(307, { location: `http://${canary}/metadata` }).end();
          response.setHeader("content-type", manifest.mediaType);
          return response.end(JSON.stringify(manifest));
        },
      ],
    ])("%s", async (_how, answer) => {
      await using canary = await serveHttp((_request, response) => response.end("{}"));
      await using registry = await serveHttp(answer(canary.host));
      const called = `${registry.host}/x:1`;
      expect(await failure(called, { guard: opened(registry) })).toBe(
        `Image ${called} could not be pulled: address not allowed`,
      );
      expect(registry.asked).not.toEqual([]);
      expect(canary.asked).toEqual([]);
    });
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

    test("whose pull was cut short by a crash cannot be used without a pull", async () => {
      await using registry = await serveImage(name);
      const called = `${registry.host}/x:1`;
      const options = { guard: opened(registry), localImages: ["*"] };
      await prepared(called, options);
      const root = await workRoot(dir, name);
      await unprovenImages(root.path).add(called);
      await rm(join(root.path, "pulled-images.json"));
      expect(await prepared(called, options)).toContain(`Pulling image ${called}`);
      expect(await prepared(called, options)).toEqual([`Using image ${called} (${registry.id})`]);
      await engine.getImage(registry.id).remove({ force: true });
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
