import { spawn } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { Fault } from "@ci/kit/fault";
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
const memoryKiB = 2 * 1024 ** 2;
const longestAnswer = 64 * 1024;

const refusal = (why: string, cause?: unknown) => new Fault("precondition", `The image ${why}`, undefined, { cause });

/**
 * Looks at an image before it is booted and answers the size of its disk in bytes. Its header first, by ourselves: a file
 * that names other files must not come near a program that might open those.
 * @throws {Fault} `precondition` if it cannot be booted, or must not
 */
export async function inspect(image: FileHandle, on: Inspection): Promise<number> {
  checkHeader(await headOf(image));
  const { "virtual-size": virtualBytes } = await told(image, on);
  if (!(virtualBytes > 0)) throw refusal("holds no disk");
  if (virtualBytes > on.virtualBytes) throw refusal(`has a larger disk than ${on.virtualBytes / 1024 ** 3} GiB`);
  return virtualBytes;
}

async function headOf(image: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await image.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
  return buffer.subarray(0, bytesRead);
}

/** Its fields as in https://www.qemu.org/docs/master/interop/qcow2.html#header. */
function checkHeader(head: Buffer): void {
  if (head.length < 4 || head.readUInt32BE(0) !== magic) throw refusal("is no QCOW2 file");
  if (head.length < version2Bytes) throw refusal("is too short: it has no complete QCOW2 header");
  const version = head.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw refusal(`has version ${version} of QCOW2, which cannot be booted`);
  if (version === 3 && head.length < headerBytes) throw refusal("is too short: it has no complete QCOW2 header");
  if (head.readBigUInt64BE(8) !== 0n) throw refusal("has a backing file");
  if (version === 3 && (head.readBigUInt64BE(72) & externalDataBit) !== 0n) throw refusal("has an external data file");
}

/** What qemu-img finds: it has little time and memory, and no rights; it gets the file open instead of by its name. */
async function told(image: FileHandle, { path, user, signal }: Inspection): Promise<{ "virtual-size": number }> {
  const limited = `ulimit -t ${longestLookSeconds} -v ${memoryKiB}; exec qemu-img info -U -f qcow2 --output=json /dev/fd/3`;
  // A base image may be there for its owner only.
  const forAll = ((await image.stat()).mode & 0o004) !== 0;
  const child = spawn("/bin/sh", ["-c", limited], {
    stdio: ["ignore", "pipe", "pipe", image.fd],
    env: { PATH: path },
    cwd: "/",
    timeout: 2 * longestLookSeconds * 1_000,
    killSignal: "SIGKILL",
    signal,
    ...(forAll ? user : {}),
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  try {
    const [code, answer, complaint] = await Promise.all([ended, text(child.stdout!), text(child.stderr!)]);
    if (code !== 0) throw refusal(`cannot be read: ${complaint.trim().split("\n").at(-1)?.slice(0, 300)}`);
    if (answer.length > longestAnswer) throw refusal("describes itself at too great a length");
    return JSON.parse(answer);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
