import type { FileHandle } from "node:fs/promises";
import { Fault } from "@ci/kit/rpc/fault";
import { type Header, hasMagic, headBytes, knownVersion, readHeader, versionOf } from "@ci/qcow2/header";
import { imageInfo } from "@ci/qcow2/qemu-img";
import { survey } from "@ci/qcow2/tables";
import type { User } from "../user.js";

export interface Inspection {
  readonly path: string;
  readonly user?: User;
  readonly virtualBytes: number;
  readonly signal: AbortSignal;
}

const refusal = (why: string) => new Fault("precondition", `The image ${why}`);

async function readFrom(image: FileHandle, offset: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await image.read(Buffer.alloc(bytes), 0, bytes, offset);
  return buffer.subarray(0, bytesRead);
}

/** Checks an image and returns its disk's size. The header comes first: programs might open files it names. */
export async function inspect(image: FileHandle, on: Inspection): Promise<number> {
  const header = await namesNoFile(image);
  const { size: sizeBytes } = await image.stat();
  const found = await survey(header, sizeBytes, (offset, bytes) => readFrom(image, offset, bytes));
  if ("problem" in found) throw refusal(found.problem);
  // Only the owner may be able to read a base image.
  const user = (await isForAll(image)) ? on.user : undefined;
  const told = await imageInfo(image, { path: on.path, user, signal: on.signal });
  if ("problem" in told) throw refusal(told.problem);
  const { virtualBytes } = told;
  if (!(virtualBytes > 0)) throw refusal("holds no disk");
  if (virtualBytes > on.virtualBytes) throw refusal(`has a larger disk than ${on.virtualBytes / 1024 ** 3} GiB`);
  return virtualBytes;
}

/** Returns the header of a QCOW2 file that names no other files; throws a Fault for any other file. */
export async function namesNoFile(image: FileHandle): Promise<Header> {
  const head = await readFrom(image, 0, headBytes);
  if (!hasMagic(head)) throw refusal("is no QCOW2 file");
  const version = versionOf(head);
  if (version !== undefined && !knownVersion(version))
    throw refusal(`has version ${version} of QCOW2, which cannot be booted`);
  const header = readHeader(head);
  if (!header) throw refusal("is too short: it has no complete QCOW2 header");
  if (header.backingFile) throw refusal("has a backing file");
  if (header.externalData) throw refusal("has an external data file");
  return header;
}

export const isForAll = async (file: FileHandle): Promise<boolean> => ((await file.stat()).mode & 0o004) !== 0;
