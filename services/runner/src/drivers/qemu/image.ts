import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "@ci/kit/rpc/fault";
import type { ImageServiceClient } from "@ci/proto/images/v1/images";
import type { Order } from "../../driver.js";
import { retry } from "../../endings/retry.js";
import type { Fetch, HeldImage, ImageCache } from "./cache.js";

export interface Images {
  readonly service: Pick<ImageServiceClient, "findImage" | "readImage">;
  readonly cache: ImageCache;
  readonly baseFolder: string;
}

type Wanted = Pick<Order, "image" | "imageTicket">;

/** Opens the build's image: one of its namespaces', its user's, or a base image. It stays until disposed. */
export async function openImage(
  wanted: Wanted,
  { service, cache, baseFolder }: Images,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<HeldImage> {
  const { image: name, imageTicket: ticket = "" } = wanted;
  const { image } = await retry(signal, () => service.findImage({ ticket }, { signal }));
  if (!image) return openBase(name, baseFolder, say);
  const { id, size: sizeBytes, sha256 } = image;
  if (sizeBytes === undefined || sha256 === undefined)
    throw new Fault("not_found", `The image ${name} has no content yet: restart the build once its download has ended`);
  const fetch: Fetch = async function* (stop) {
    for await (const { chunk } of service.readImage({ id, ticket }, { signal: stop })) yield chunk;
  };
  say(`Using image ${name} (sha256:${sha256})`);
  return retry(signal, () => cache.hold({ sha256, sizeBytes }, fetch, signal));
}

const missing = (name: string) =>
  new Fault("not_found", `There is no image ${name}: upload it, or name a base image of the runner`);

async function openBase(name: string, folder: string, say: (line: string) => void): Promise<HeldImage> {
  const parts = name.split("/");
  if (name.includes("\0") || parts.some((part) => part === "" || part === "." || part === "..")) throw missing(name);
  const image = await openFile(join(folder, ...parts));
  if (!image) throw missing(name);
  say(`Using base image ${name}`);
  return image;
}

/** Detects a changed base image without reading all of it. */
const identityOf = (path: string, { dev, ino, mtimeNs, size }: BigIntStats) =>
  [dev, ino, mtimeNs, size, path].join(":");

async function openFile(path: string): Promise<HeldImage | undefined> {
  // Non-blocking: it could be a pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  const stats = await file?.stat({ bigint: true });
  if (file && stats?.isFile()) return heldBase(path, file, identityOf(path, stats));
  await file?.close();
  return undefined;
}

const heldBase = (path: string, file: FileHandle, identity: string): HeldImage => ({
  file,
  identity,
  async again() {
    const again = await openFile(path);
    if (again?.identity === identity) return again;
    await again?.[Symbol.asyncDispose]();
    throw new Error("the base image has changed");
  },
  [Symbol.asyncDispose]: () => file.close(),
});
