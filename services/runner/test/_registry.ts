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

const kinds = {
  docker: {
    manifest: "application/vnd.docker.distribution.manifest.v2+json",
    index: "application/vnd.docker.distribution.manifest.list.v2+json",
    config: "application/vnd.docker.container.image.v1+json",
    layer: "application/vnd.docker.image.rootfs.diff.tar.gzip",
  },
  oci: {
    manifest: "application/vnd.oci.image.manifest.v1+json",
    index: "application/vnd.oci.image.index.v1+json",
    config: "application/vnd.oci.image.config.v1+json",
    layer: "application/vnd.oci.image.layer.v1.tar+gzip",
  },
} as const;

async function layerOf(text: string): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: "file" }, text);
  archive.finalize();
  return buffer(archive);
}

/** The digest of an unpacked layer whose only file contains a text. */
export const diffIdOf = async (text: string): Promise<string> => digestOf(await layerOf(text));

interface MadeImage extends Pick<ImageOptions, "packed" | "rootfs"> {
  readonly kind: (typeof kinds)["docker" | "oci"];
  readonly architecture: string;
}

/** An image of one layer, whose only file contains a text. */
async function makeImage(text: string, { kind, architecture, packed = gzipSync, rootfs }: MadeImage) {
  const tar = await layerOf(text);
  const layer = packed(tar);
  const config = json({
    ...{ architecture, os: "linux", config: {}, history: [{ created_by: "test" }] },
    ...(rootfs ?? { rootfs: { type: "layers", diff_ids: [digestOf(tar)] } }),
  });
  const about = (mediaType: string, bytes: Buffer) => ({ mediaType, size: bytes.length, digest: digestOf(bytes) });
  const manifest = json({
    ...{ schemaVersion: 2, mediaType: kind.manifest },
    config: about(kind.config, config),
    layers: [about(kind.layer, layer)],
  });
  return { config, layer, manifest, id: digestOf(config) };
}

export interface ImageOptions {
  readonly kind?: "docker" | "oci";
  /** Serves an index of several platforms. */
  readonly index?: boolean;
  /** The server that gives tokens, without which nothing is served. */
  readonly realm?: string;
  /** `user:password`, without which nothing is served. */
  readonly login?: string;
  /** Where blobs lie: they are not served here. */
  readonly blobsAt?: string;
  /** Breaks off the first response with a layer. */
  readonly breakOff?: boolean;
  /** Sends another layer than the manifest promises. */
  readonly corrupt?: boolean;
  /** Packs the layer in another way than gzip does. */
  readonly packed?: (tar: Buffer) => Buffer;
  /** What the configuration says about the layers instead of the truth. */
  readonly rootfs?: Readonly<Record<string, unknown>>;
}

export interface ImageRegistry extends Registry {
  /** Of the image for this processor. */
  readonly id: string;
  /** Of the manifest or index that every tag names. */
  readonly digest: string;
}

const token = "anonymous-token";

/** Serves tokens to everyone, as registries do for public images, or to who has the login `user:password`. */
export const serveTokens = (login?: string): Promise<Registry> =>
  serveHttp((request, response) => {
    const asks = new URL(request.url!, "http://x").searchParams;
    const known = login === undefined ? undefined : `Basic ${Buffer.from(login).toString("base64")}`;
    if (request.headers.authorization !== known) return response.writeHead(401).end();
    const fits = asks.get("service") === "test" && asks.get("scope") === "repository:x:pull";
    response.writeHead(fits ? 200 : 400, { "content-type": "application/json" });
    response.end(JSON.stringify({ token: fits ? token : "wrong", expires_in: 60 }));
  });

/** Serves one image under every name, as the OCI distribution specification says. */
export async function serveImage(text: string, options: ImageOptions = {}): Promise<ImageRegistry> {
  const kind = kinds[options.kind ?? "docker"];
  const architecture = process.arch === "arm64" ? "arm64" : "amd64";
  const image = await makeImage(text, { ...options, kind, architecture });
  const other = await makeImage(`${text} for others`, { kind, architecture: "s390x" });
  const entry = ({ manifest }: typeof image, of: string) => ({
    ...{ mediaType: kind.manifest, size: manifest.length, digest: digestOf(manifest) },
    platform: { os: "linux", architecture: of },
  });
  const manifests = [entry(other, "s390x"), entry(image, architecture)];
  const top = options.index ? json({ schemaVersion: 2, mediaType: kind.index, manifests }) : image.manifest;
  const types = new Map([[digestOf(top), options.index ? kind.index : kind.manifest]]);
  for (const { digest } of manifests) types.set(digest, kind.manifest);
  const all = [image, other].flatMap(({ config, layer, manifest }) => [config, layer, manifest]);
  const blobs = new Map([...all, top].map((bytes) => [digestOf(bytes), bytes]));
  let broken = !options.breakOff;

  const registry = await serveHttp((request, response) => {
    const { url = "", headers } = request;
    if (options.realm && headers.authorization !== `Bearer ${token}`)
      return response
        .writeHead(401, {
          "www-authenticate": `Bearer realm="${options.realm}",service="test",scope="repository:x:pull"`,
        })
        .end();
    const { login } = options;
    if (login && headers.authorization !== `Basic ${Buffer.from(login).toString("base64")}`)
      return response.writeHead(401, { "www-authenticate": 'Basic realm="test"' }).end();
    if (url === "/v2/") return response.end("{}");
    const [, what, reference] = /^\/v2\/.+\/(manifests|blobs)\/([^/]+)$/.exec(url) ?? [];
    const digest = what === "manifests" && !reference!.includes(":") ? digestOf(top) : reference!;
    const body = blobs.get(digest);
    const type = types.get(digest);
    if (!body || (what === "manifests") !== (type !== undefined)) return response.writeHead(404).end();
    if (what === "manifests" && !headers.accept?.includes(type!)) return response.writeHead(404).end();
    if (what === "blobs" && options.blobsAt)
      return response.writeHead(307, { location: `${options.blobsAt}${url}` }).end();
    response.setHeader("content-type", type ?? "application/octet-stream");
    response.setHeader("docker-content-digest", digest);
    const isLayer = body === image.layer;
    const sent = isLayer && options.corrupt ? Buffer.alloc(body.length) : body;
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
    if (from > 0) response.writeHead(206, { "content-range": `bytes ${from}-${sent.length - 1}/${sent.length}` });
    else response.setHeader("content-length", sent.length);
    if (request.method === "HEAD") return response.end();
    if (!isLayer || broken) return response.end(sent.subarray(from));
    broken = true;
    return response.write(sent.subarray(0, 20), () => response.destroy());
  });
  return Object.assign(registry, { id: image.id, digest: digestOf(top) });
}
