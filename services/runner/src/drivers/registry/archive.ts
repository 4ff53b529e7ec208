import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { isDeepStrictEqual } from "node:util";
import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { type Pack, pack } from "tar-stream";
import { readBlob } from "./blob.js";
import type { RegistryClient } from "./client.js";
import { diffIdsOf } from "./diff-ids.js";
import { type RemoteImage, tooLarge } from "./image.js";
import type { Descriptor } from "./manifest.js";
import { type CountEntry, tarCheck } from "./tar-check.js";
import { unpacking } from "./unpacked.js";

const maxConfigBytes = fixedLimit({
  max: 1024 ** 2,
  unit: "bytes",
  about: "configuration of an image of a registry that is not trusted",
  refusal: "Image X could not be pulled: its configuration is too large",
});

const maxEntries = fixedLimit({
  max: 1_000_000,
  about: "files and folders in the layers of an image of a registry that is not trusted",
  refusal: "Image X could not be pulled: its layers have more than N files and folders",
});
const entryBytes = 4_096;

const pathOf = (digest: string): string => `blobs/${digest.replace(":", "/")}`;

/** What newer engines read: an OCI layout. */
const indexOf = ({ type, digest, manifest }: RemoteImage, name: string) => ({
  schemaVersion: 2,
  mediaType: "application/vnd.oci.image.index.v1+json",
  manifests: [
    {
      mediaType: type,
      digest,
      size: manifest.length,
      annotations: { "io.containerd.image.name": name, "org.opencontainers.image.ref.name": name.split(":").at(-1) },
    },
  ],
});

/** What all engines read. */
const listOf = ({ config, layers }: RemoteImage, name: string) => [
  { Config: pathOf(config.digest), RepoTags: [name], Layers: layers.map(({ digest }) => pathOf(digest)) },
];

interface Filling {
  readonly room: Room;
  /** Must be called before the archive ends with the error. */
  failed(error: unknown): void;
}

interface Room {
  count(unpackedBytes: number): void;
  readonly countEntry: CountEntry;
}

/** Throws when an image takes more than its limits. A small entry counts as much as it takes on a disk. */
export function roomFor(maxBytes: number): Room {
  let unpackedBytes = 0;
  let entries = 0;
  const count = (bytes: number) => {
    unpackedBytes += bytes;
    if (unpackedBytes > maxBytes) throw tooLarge(maxBytes);
  };
  return {
    count,
    countEntry(made, bytes) {
      entries += made;
      if (entries > maxEntries) throw new FetchFailed(`its layers have more than ${maxEntries} files and folders`);
      count(Math.max(0, made * entryBytes - bytes));
    },
  };
}

/** Writes a layer. Returns the digest of what it unpacks to. */
async function fillLayer(archive: Pack, client: RegistryClient, layer: Descriptor, { room, failed }: Filling) {
  const check = tarCheck(room.countEntry);
  using unpacked = unpacking((piece) => {
    room.count(piece.length);
    check(piece);
  });
  async function* bytes() {
    try {
      for await (const chunk of readBlob(client, layer)) {
        await unpacked.write(chunk);
        yield chunk;
      }
    } catch (error) {
      failed(error);
      throw error;
    }
  }
  await pipeline(Readable.from(bytes()), archive.entry({ name: pathOf(layer.digest), size: layer.size }));
  return await unpacked.end();
}

async function configOf(client: RegistryClient, config: Descriptor): Promise<Buffer> {
  if (config.size > maxConfigBytes) throw new FetchFailed("its configuration is too large");
  return buffer(readBlob(client, config));
}

/** Lets the engine see an image only if its layers are what its configuration says: the engine does not read those that it has. */
async function fill(
  archive: Pack,
  client: RegistryClient,
  image: RemoteImage,
  { name, maxBytes, failed }: WantedArchive & Pick<Filling, "failed">,
): Promise<void> {
  const config = await configOf(client, image.config);
  const diffIds = await diffIdsOf(config);
  archive.entry({ name: pathOf(image.config.digest) }, config);
  const room = roomFor(maxBytes);
  const unpacked = new Map<string, string>();
  for (const layer of image.layers)
    if (!unpacked.has(layer.digest))
      unpacked.set(layer.digest, await fillLayer(archive, client, layer, { room, failed }));
  const found = image.layers.map(({ digest }) => unpacked.get(digest));
  if (!isDeepStrictEqual(found, diffIds)) throw new FetchFailed("its layers do not match its configuration");
  archive.entry({ name: pathOf(image.digest) }, image.manifest);
  archive.entry({ name: "oci-layout" }, JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  archive.entry({ name: "index.json" }, JSON.stringify(indexOf(image, name)));
  archive.entry({ name: "manifest.json" }, JSON.stringify(listOf(image, name)));
  archive.finalize();
}

/** An image as `docker save` writes it, streamed from a registry. */
interface ImageArchive extends Disposable {
  readonly stream: NodeJS.ReadableStream;
  /** Rejects if the registry fails, before the stream ends with the same error. */
  readonly filled: Promise<void>;
}

interface WantedArchive {
  /** What the engine calls the image. */
  readonly name: string;
  /** Limits what all layers unpack to. */
  readonly maxBytes: number;
}

/** Its last entry tells the engine what the rest is, so a part of an archive makes no image. */
export function imageArchive(client: RegistryClient, image: RemoteImage, wanted: WantedArchive): ImageArchive {
  const archive = pack();
  const filled = new Promise<void>((resolve, failed) => {
    fill(archive, client, image, { ...wanted, failed }).then(resolve, failed);
  });
  filled.catch((error) => archive.destroy(error));
  return {
    stream: archive as unknown as NodeJS.ReadableStream,
    filled,
    [Symbol.dispose]: () => archive.destroy(),
  };
}
