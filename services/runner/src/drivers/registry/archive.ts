import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Pack, pack } from "tar-stream";
import { readBlob } from "./blob.js";
import type { RegistryClient } from "./client.js";
import type { RemoteImage } from "./image.js";

const pathOf = (digest: string): string => `blobs/${digest.replace(":", "/")}`;

/** What newer engines read: an OCI layout. */
const indexOf = ({ type, digest, manifest }: RemoteImage, name: string) => ({
  schemaVersion: 2,
  mediaType: "application/vnd.oci.image.index.v1+json",
  manifests: [
    {
      ...{ mediaType: type, digest, size: manifest.length },
      annotations: { "io.containerd.image.name": name, "org.opencontainers.image.ref.name": name.split(":").at(-1) },
    },
  ],
});

/** What all engines read. */
const listOf = ({ config, layers }: RemoteImage, name: string) => [
  { Config: pathOf(config.digest), RepoTags: [name], Layers: layers.map(({ digest }) => pathOf(digest)) },
];

async function fill(archive: Pack, client: RegistryClient, image: RemoteImage, name: string): Promise<void> {
  const blobs = new Map([image.config, ...image.layers].map((blob) => [blob.digest, blob]));
  for (const blob of blobs.values())
    await pipeline(
      Readable.from(readBlob(client, blob)),
      archive.entry({ name: pathOf(blob.digest), size: blob.size }),
    );
  archive.entry({ name: pathOf(image.digest) }, image.manifest);
  archive.entry({ name: "oci-layout" }, JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  archive.entry({ name: "index.json" }, JSON.stringify(indexOf(image, name)));
  archive.entry({ name: "manifest.json" }, JSON.stringify(listOf(image, name)));
  archive.finalize();
}

/** An image as `docker save` writes it, streamed from a registry. */
export interface ImageArchive extends Disposable {
  readonly stream: NodeJS.ReadableStream;
  /** Rejects if the registry fails; the stream then ends with the same error. */
  readonly filled: Promise<void>;
}

/** Its last entry tells the engine what the rest is, so a part of an archive makes no image. */
export function imageArchive(client: RegistryClient, image: RemoteImage, name: string): ImageArchive {
  const archive = pack();
  const filled = fill(archive, client, image, name);
  filled.catch((error) => archive.destroy(error));
  return {
    stream: archive as unknown as NodeJS.ReadableStream,
    filled,
    [Symbol.dispose]: () => archive.destroy(),
  };
}
