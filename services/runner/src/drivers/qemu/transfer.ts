import { Fault } from "@ci/kit/rpc/fault";
import type { SFTPWrapper } from "ssh2";

/** Every server accepts this much; ssh2 would split more into sequential requests. */
const pieceBytes = 30 * 1024;
/** Requests overlap, because a guest responds slowly, above all an emulated one. */
const requestsAtOnce = 8;

export const endOfFile = 1;

export const codeOf = (error: unknown): number | undefined => (error as { code?: number }).code;

const ended = new WeakSet<SFTPWrapper>();
const waiting = new WeakMap<SFTPWrapper, Set<() => void>>();

/** Calls `onEnd` once a guest's SFTP server has ended, which a job may cause. */
export function watchEnd(sftp: SFTPWrapper, onEnd: () => void): void {
  const end = () => {
    if (ended.has(sftp)) return;
    ended.add(sftp);
    // ssh2 has forgotten the request whose response broke the protocol.
    for (const giveUp of waiting.get(sftp) ?? []) setImmediate(giveUp);
    onEnd();
  };
  sftp.on("error", end).on("close", end);
}

/** Rejects if the server has ended, or ends: ssh2 might never call back. */
export const sftpCall = <T>(
  sftp: SFTPWrapper,
  request: (done: (error: Error | null | undefined, value: T) => void) => void,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error("The SFTP server has ended"));
    if (ended.has(sftp)) return giveUp();
    const requests = waiting.get(sftp) ?? new Set();
    waiting.set(sftp, requests.add(giveUp));
    request((error, value) => {
      requests.delete(giveUp);
      if (error) reject(error);
      else resolve(value);
    });
  });

/** Avoids an unhandled rejection if nobody awaits this. */
function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Writes content to an open file. No request is under way when this settles. */
export async function writeContent(
  sftp: SFTPWrapper,
  handle: Buffer,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const underWay: Promise<void>[] = [];
  let at = 0;
  try {
    for await (const { buffer, byteOffset, length } of content)
      for (let from = 0; from < length; from += pieceBytes) {
        if (underWay.length === requestsAtOnce) await underWay.shift();
        const piece = Buffer.from(buffer, byteOffset + from, Math.min(pieceBytes, length - from));
        const position = at;
        underWay.push(
          ignoreRejection(sftpCall<void>(sftp, (done) => sftp.write(handle, piece, 0, piece.length, position, done))),
        );
        at += piece.length;
      }
    await Promise.all(underWay);
  } finally {
    await Promise.allSettled(underWay);
  }
}

/** Reads exactly `sizeBytes`, in order; throws a Fault if the file has become shorter. */
export async function* readContent(sftp: SFTPWrapper, handle: Buffer, sizeBytes: number): AsyncGenerator<Uint8Array> {
  const underWay: Promise<Buffer>[] = [];
  for (let at = 0; ; ) {
    for (; underWay.length < requestsAtOnce && at < sizeBytes; at += pieceBytes)
      underWay.push(ignoreRejection(readPiece(sftp, handle, at, Math.min(pieceBytes, sizeBytes - at))));
    const next = underWay.shift();
    if (!next) return;
    yield await next;
  }
}

async function readPiece(sftp: SFTPWrapper, handle: Buffer, at: number, bytes: number): Promise<Buffer> {
  const piece = Buffer.allocUnsafe(bytes);
  for (let filled = 0; filled < bytes; ) {
    const read = sftpCall<number>(sftp, (done) => sftp.read(handle, piece, filled, bytes - filled, at + filled, done));
    const bytesRead = await read.catch((error) => {
      if (codeOf(error) === endOfFile) return 0;
      throw error;
    });
    if (bytesRead === 0) throw new Fault("precondition", "became shorter while it was read");
    filled += bytesRead;
  }
  return piece;
}
