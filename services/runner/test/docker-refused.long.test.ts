import { gzipSync } from "node:zlib";
import Docker from "dockerode";
import type { DockerOptions } from "../src/drivers/docker.js";
import { pulling } from "./_pulling.js";
import { diffIdOf, serveHttp, serveImage } from "./_registry.js";

if (!process.env.CI_TEST_IMAGE)
  test("not run: no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)", () => undefined);
else {
  const engine = new Docker();
  const pulls = pulling();
  const { prepared, opened, failure } = pulls;
  let name: string;

  beforeEach(() => {
    name = pulls.name();
  });

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
      // Without an author of its own, the first of these would be the private image itself, byte for byte.
      const claimed = { author: name, ...rootfs(await diffIdOf(secret), await diffIdOf(name)) };
      await using registry = await serveImage(name, { rootfs: claimed });
      const called = `${registry.host}/x:1`;
      expect(await failure(called, { guard: opened(registry) })).toMatch(
        /could not be pulled: (?:its layers do not match its configuration|the format of its configuration is not supported)$/,
      );
      await expect(engine.getImage(registry.id).inspect()).rejects.toMatchObject({ statusCode: 404 });
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
      await expect(engine.getImage(registry.id).inspect()).rejects.toMatchObject({ statusCode: 404 });
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
}
