import type { LookupAddress } from "node:dns";
import { connect, type Socket } from "node:net";
import { abortable } from "@ci/kit/bytes/chunked";
import { FetchFailed, failure } from "@ci/kit/net/fetch-failed";
import { portOf } from "@ci/kit/net/guard";
import { checkedAddresses } from "@ci/kit/net/guarded-agent";
import { hostKeyCheck } from "@ci/kit/net/host-key-check";
import { maxHandleBytes } from "@ci/kit/net/ssh-limits";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { type Algorithms, Client, type SFTPWrapper, type Stats } from "ssh2";
import type { Context } from "../context.js";
import type { Rest } from "../domain/resume.js";
import { credentials, plainPath, type Source } from "./source.js";

const defaultConnectMs = 30_000;
const maxReadBytes = 32 * 1024;
/** Concurrent reads, so that latency does not limit throughput. */
const concurrentReads = 64;
const maxPrompts = fixedLimit({
  max: 16,
  about: "questions of an SFTP server to which the password is the answer, in one sign-in",
  refusal: "authentication failed",
});
/** With group exchange the server would choose a prime, and the client would test it for minutes on this thread. */
const algorithms: Algorithms = {
  compress: ["none"],
  kex: [
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "ecdh-sha2-nistp384",
    "ecdh-sha2-nistp521",
    "diffie-hellman-group14-sha256",
  ],
};

const reasonByStatus: Readonly<Record<number, string>> = { 2: "no such file", 3: "permission denied" };
const reasonByLevel: Readonly<Record<string, string>> = {
  "client-authentication": "authentication failed",
  "client-timeout": "timeout",
  handshake: "SSH handshake failed",
  protocol: "connection reset",
};

function sshFailure(error: unknown, signal: AbortSignal): unknown {
  const { code, level = "", message } = error as { code?: number | string; level?: string; message: string };
  const reason = typeof code === "number" ? (reasonByStatus[code] ?? "file cannot be read") : reasonByLevel[level];
  const [, detail = ""] = /^Handshake failed(: no matching [\w >-]+)$/.exec(message) ?? [];
  return failure(reason ? new FetchFailed(`${reason}${detail}`, { cause: error }) : error, signal);
}

/** Returns the time limit for connecting and signing in: the query's `timeout` in seconds, or 30 s. */
function connectMs(url: URL): number {
  const seconds = Number(url.searchParams.get("timeout"));
  return seconds > 0 ? Math.min(seconds * 1_000, 2 ** 31 - 1) : defaultConnectMs;
}

function connectTo(url: URL, addresses: LookupAddress[]): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // Connect only to the addresses that were checked.
  const socket = connect({
    host,
    port: portOf(url),
    autoSelectFamily: true,
    lookup: (_host, _options, use) => use(null, addresses),
  });
  // An address without a route fails before the client listens.
  return socket.on("error", () => undefined);
}

async function signIn(client: Client, socket: Socket, url: URL): Promise<void> {
  const { username, password } = credentials(url);
  await new Promise<void>((resolve, reject) => {
    client.once("ready", resolve).on("error", reject);
    client.once("close", () => reject(new FetchFailed("connection reset")));
    // Some servers accept the password only as keyboard-interactive.
    let asked = 0;
    client.on("keyboard-interactive", (_name, _text, _language, prompts, answer) => {
      asked += Math.max(prompts.length, 1);
      if (asked > maxPrompts) reject(new FetchFailed("authentication failed"));
      else answer(prompts.map(() => password));
    });
    client.connect({
      sock: socket,
      username,
      password,
      tryKeyboard: true,
      readyTimeout: connectMs(url),
      algorithms,
      hostVerifier: hostKeyCheck(),
    });
  });
}

/** Calls the library, which never answers once the channel is gone. Rejects once `gone` fires. */
const promised = <T>(
  gone: AbortSignal,
  call: (done: (error: Error | null | undefined, result: T) => void) => unknown,
): Promise<T> =>
  new Promise((resolve, reject) => {
    gone.throwIfAborted();
    gone.addEventListener("abort", () => reject(gone.reason));
    call((error, result) => (error ? reject(error) : resolve(result)));
  });

function readPiece(sftp: SFTPWrapper, handle: Buffer, at: number, bytes: number): Promise<Buffer> {
  const piece = new Promise<Buffer>((resolve, reject) =>
    sftp.read(handle, Buffer.allocUnsafe(bytes), 0, bytes, at, (error, count, read) =>
      error ? reject(error) : resolve(read.subarray(0, count)),
    ),
  );
  // Avoid an unhandled rejection if this read is discarded.
  piece.catch(() => {});
  return piece;
}

async function* readAhead(sftp: SFTPWrapper, handle: Buffer, from: number): AsyncGenerator<Buffer> {
  let pieceBytes = maxReadBytes;
  const pending: Promise<Buffer>[] = [];
  for (let at = from; ; ) {
    while (pending.length < concurrentReads)
      pending.push(readPiece(sftp, handle, at + pending.length * pieceBytes, pieceBytes));
    const piece = await pending.shift()!;
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
    if (piece.length === pieceBytes) continue;
    // The server returns smaller pieces, so request smaller ones. Pending reads have the wrong offsets, but hold memory.
    pieceBytes = piece.length;
    await Promise.allSettled(pending.splice(0));
  }
}

/** Opens a channel. `onGone` is called as soon as the server closes it or breaks the protocol. */
const openChannel = (client: Client, gone: AbortSignal, onGone: () => void): Promise<SFTPWrapper> =>
  promised(gone, (done) =>
    client.sftp((error, sftp) => {
      sftp?.on("end", onGone).on("error", onGone);
      done(error, sftp);
    }),
  );

function noStats(error: { code?: number | string }): Partial<Stats> {
  if (typeof error.code === "number") return {};
  throw error;
}

/** Opens a file, or the rest of it if its size and time have not changed. */
async function openFile(client: Client, url: URL, rest: Rest | undefined) {
  const ending = new AbortController();
  const onGone = () => ending.abort(new FetchFailed("connection reset"));
  const gone = ending.signal;
  client.once("close", onGone);
  const sftp = await openChannel(client, gone, onGone);
  const handle = await promised<Buffer>(gone, (done) => sftp.open(plainPath(url), "r", done));
  if (handle.length > maxHandleBytes) throw new FetchFailed("file cannot be read");
  // Some servers do not support fstat; others report no time.
  const { size, mtime } = await promised<Partial<Stats>>(gone, (done) => sftp.fstat(handle, done)).catch(noStats);
  const total = size || undefined;
  const validator = total && mtime ? `${total} bytes of ${mtime}` : undefined;
  const from = rest && rest.validator === validator ? rest.from : 0;
  return { bytes: abortable(gone, readAhead(sftp, handle, from)), from, total, validator };
}

async function* translateErrors(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw sshFailure(error, signal);
  }
}

/** Opens a file over SFTP, or the rest of it. Throws FetchFailed. The host key is unknown, so any that is quick to verify is accepted. */
export async function openSftp(
  ctx: Pick<Context, "guard">,
  url: URL,
  signal: AbortSignal,
  rest?: Rest,
): Promise<Source> {
  // The client would report an empty username as a configuration error.
  if (url.username === "") throw new FetchFailed("authentication failed");
  const addresses = await checkedAddresses(url.hostname, portOf(url), ctx.guard);
  signal.throwIfAborted();
  const client = new Client();
  const socket = connectTo(url, addresses);
  const closeSocket = () => socket.destroy();
  signal.addEventListener("abort", closeSocket, { once: true });
  const close = async () => {
    signal.removeEventListener("abort", closeSocket);
    closeSocket();
  };
  try {
    await signIn(client, socket, url);
    const file = await openFile(client, url, rest);
    return { ...file, bytes: translateErrors(file.bytes, signal), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw sshFailure(error, signal);
  }
}
