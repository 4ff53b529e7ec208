import type { FileHandle } from "node:fs/promises";
import { Fault } from "@ci/kit/fault";
import { lastLine, runImg } from "./img.js";
import type { User } from "./machine.js";

/** How an image is looked at. */
export interface Inspection {
  /** Where to look for qemu-img. */
  readonly path: string;
  readonly user?: User;
  /** The largest disk that is booted. */
  readonly virtualBytes: number;
  readonly signal: AbortSignal;
}

const headerBytes = 104;
const magic = 0x514649fb;
const version2Bytes = 72;
const externalDataBit = 1n << 2n;

const longestLookSeconds = 10;
const memoryBytes = 2 * 1024 ** 3;
const longestAnswer = 64 * 1024;

const refusal = (why: string, cause?: unknown) => new Fault("precondition", `The image ${why}`, undefined, { cause });

/**
 * Looks at an image before it is booted and answers the size of its disk in bytes. Its header first, by ourselves: a file
 * that names other files must not come near a program that might open those.
 * @throws {Fault} `precondition` if it cannot be booted, or must not
 */
export async function inspect(image: FileHandle, on: Inspection): Promise<number> {
  await namesNoFile(image);
  const { "virtual-size": virtualBytes } = await told(image, on);
  if (!(virtualBytes > 0)) throw refusal("holds no disk");
  if (virtualBytes > on.virtualBytes) throw refusal(`has a larger disk than ${on.virtualBytes / 1024 ** 3} GiB`);
  return virtualBytes;
}

/**
 * Refuses what is no QCOW2 file or names others: its header's fields are as in
 * https://www.qemu.org/docs/master/interop/qcow2.html#header.
 */
export async function namesNoFile(image: FileHandle): Promise<void> {
  const { buffer, bytesRead } = await image.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
  const head = buffer.subarray(0, bytesRead);
  if (head.length < 4 || head.readUInt32BE(0) !== magic) throw refusal("is no QCOW2 file");
  if (head.length < version2Bytes) throw refusal("is too short: it has no complete QCOW2 header");
  const version = head.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw refusal(`has version ${version} of QCOW2, which cannot be booted`);
  if (version === 3 && head.length < headerBytes) throw refusal("is too short: it has no complete QCOW2 header");
  if (head.readBigUInt64BE(8) !== 0n) throw refusal("has a backing file");
  if (version === 3 && (head.readBigUInt64BE(72) & externalDataBit) !== 0n) throw refusal("has an external data file");
}

/** Whoever may open this by name, when it is told to. */
export const isForAll = async (file: FileHandle): Promise<boolean> => ((await file.stat()).mode & 0o004) !== 0;

/** What qemu-img finds: it has little time and memory, and no rights; it gets the file open instead of by its name. */
async function told(image: FileHandle, { path, user, signal }: Inspection): Promise<{ "virtual-size": number }> {
  const late = AbortSignal.timeout(2 * longestLookSeconds * 1_000);
  const end = await runImg({
    arguments: ["info", "-U", "-f", "qcow2", "--output=json", "/dev/fd/3"],
    files: [image.fd],
    // A base image may be there for its owner only.
    user: (await isForAll(image)) ? user : undefined,
    path,
    limits: { cpuSeconds: longestLookSeconds, memoryBytes, fileBytes: 0 },
    signal: AbortSignal.any([signal, late]),
  }).catch((error) => {
    signal.throwIfAborted();
    throw late.aborted ? refusal("takes too long to be read", error) : error;
  });
  if (end.code !== 0) throw refusal(`cannot be read: ${lastLine(end)}`);
  if (end.answer.length > longestAnswer) throw refusal("describes itself at too great a length");
  return JSON.parse(end.answer);
}
