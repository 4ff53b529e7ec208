import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";

/** An HTTP server on the loopback, which engines take for a registry without TLS. */
export interface Registry extends AsyncDisposable {
  /** `127.0.0.1:port` */
  readonly host: string;
  /** The paths that were asked for. */
  readonly asked: string[];
}

export async function serveHttp(answer: RequestListener): Promise<Registry> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    host: `127.0.0.1:${(server.address() as { port: number }).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const digestOf = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

/** Serves one image under every name. Its only file contains `text`. */
export async function serveImage(text: string): Promise<Registry> {
  const archive = pack();
  archive.entry({ name: "file" }, text);
  archive.finalize();
  const tar = await buffer(archive);
  const layer = gzipSync(tar);
  const type = "application/vnd.docker.distribution.manifest.v2+json";
  const config = json({
    ...{ architecture: "amd64", os: "linux", config: {}, history: [{ created_by: "test" }] },
    rootfs: { type: "layers", diff_ids: [digestOf(tar)] },
  });
  const about = (mediaType: string, bytes: Buffer) => ({ mediaType, size: bytes.length, digest: digestOf(bytes) });
  const manifest = json({
    ...{ schemaVersion: 2, mediaType: type },
    config: about("application/vnd.docker.container.image.v1+json", config),
    layers: [about("application/vnd.docker.image.rootfs.diff.tar.gzip", layer)],
  });
  const blobs = new Map([config, layer, manifest].map((bytes) => [digestOf(bytes), bytes]));
  return serveHttp(({ url = "" }, response) => {
    if (url === "/v2/") return response.end("{}");
    const reference = url.split("/").at(-1)!;
    const body = url.includes("/manifests/") ? manifest : blobs.get(reference);
    if (!body) return response.writeHead(404).end();
    response.setHeader("content-type", url.includes("/manifests/") ? type : "application/octet-stream");
    response.setHeader("docker-content-digest", digestOf(body));
    return response.setHeader("content-length", body.length).end(body);
  });
}
