import type { LookupAddress } from "node:dns";
import { connect, type Socket } from "node:net";
import { FetchFailed, failure } from "@ci/kit/net/fetch-failed";
import { portOf } from "@ci/kit/net/guard";
import { checkedAddresses } from "@ci/kit/net/guarded-agent";
import { Client, type SFTPWrapper, type Stats } from "ssh2";
import type { Context } from "../context.js";
import type { Rest } from "../domain/continued.js";
import { credentials, plainPath, type Source } from "./source.js";

const usualConnectMs = 30_000;
const mostReadBytes = 32 * 1024;
/** So many reads are under way at once: how long one takes there and back does not limit the speed. */
const readsAhead = 64;

const reasonByStatus: Readonly<Record<number, string>> = { 2: "no such file", 3: "permission denied" };
const reasonByLevel: Readonly<Record<string, string>> = {
  "client-authentication": "authentication failed",
  "client-timeout": "timeout",
  handshake: "SSH handshake failed",
  protocol: "connection reset",
};

/** What to throw for an error of the SSH client: the signal's reason if it has fired, otherwise a FetchFailed. */
function sshFailure(error: unknown, signal: AbortSignal): unknown {
  const { code, level = "" } = error as { code?: number | string; level?: string };
  const reason = typeof code === "number" ? (reasonByStatus[code] ?? "file cannot be read") : reasonByLevel[level];
  return failure(reason ? new FetchFailed(reason, { cause: error }) : error, signal);
}

/** The time for connecting and signing in: the query's `timeout` in seconds, or 30 s. */
function connectMs(url: URL): number {
  const seconds = Number(url.searchParams.get("timeout"));
  return seconds > 0 ? Math.min(seconds * 1_000, 2 ** 31 - 1) : usualConnectMs;
}

function connectTo(url: URL, addresses: LookupAddress[]): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // The addresses have been checked: they are not looked up again.
  return connect({
    host,
    port: portOf(url),
    autoSelectFamily: true,
    lookup: (_host, _options, use) => use(null, addresses),
  });
}

/** Signs in with the user and password of the URL. */
async function signIn(client: Client, socket: Socket, url: URL): Promise<void> {
  const { username, password } = credentials(url);
  // The client would take it for a mistake in its configuration.
  if (username === "") throw new FetchFailed("authentication failed");
  await new Promise<void>((resolve, reject) => {
    client.once("ready", resolve).on("error", reject);
    client.once("close", () => reject(new FetchFailed("connection reset")));
    // Some servers ask for the password in a dialogue only.
    client.on("keyboard-interactive", (_name, _text, _language, prompts, answer) =>
      answer(prompts.map(() => password)),
    );
    client.connect({ sock: socket, username, password, tryKeyboard: true, readyTimeout: connectMs(url) });
  });
}

/** A call of the client's as a promise. */
const asked = <T>(call: (done: (error: Error | null | undefined, answer: T) => void) => unknown): Promise<T> =>
  new Promise((resolve, reject) => call((error, answer) => (error ? reject(error) : resolve(answer))));

function readPiece(sftp: SFTPWrapper, handle: Buffer, at: number, bytes: number): Promise<Buffer> {
  const piece = new Promise<Buffer>((resolve, reject) =>
    sftp.read(handle, Buffer.allocUnsafe(bytes), 0, bytes, at, (error, count, read) =>
      error ? reject(error) : resolve(read.subarray(0, count)),
    ),
  );
  // Nobody waits for those that are dropped.
  piece.catch(() => {});
  return piece;
}

/** The bytes of an open file from somewhere on, in order, with many reads under way. */
async function* readAhead(sftp: SFTPWrapper, handle: Buffer, from: number): AsyncGenerator<Buffer> {
  let pieceBytes = mostReadBytes;
  let waiting: Promise<Buffer>[] = [];
  for (let at = from; ; ) {
    while (waiting.length < readsAhead)
      waiting.push(readPiece(sftp, handle, at + waiting.length * pieceBytes, pieceBytes));
    const piece = await waiting.shift()!;
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
    if (piece.length === pieceBytes) continue;
    // A server that gives less at a time is asked for less; what was asked for already does not begin where this ends.
    pieceBytes = piece.length;
    waiting = [];
  }
}

/** The content of a file, or the rest of it if it is as large and as old as it was. */
async function openFile(client: Client, url: URL, rest: Rest | undefined) {
  const sftp = await asked<SFTPWrapper>((done) => client.sftp(done));
  const handle = await asked<Buffer>((done) => sftp.open(plainPath(url), "r", done));
  // Some servers do not tell; some tell of no time.
  const { size, mtime } = await asked<Partial<Stats>>((done) => sftp.fstat(handle, done)).catch(() => ({}) as never);
  const total = size || undefined;
  const validator = total && mtime ? `${total} bytes of ${mtime}` : undefined;
  const from = rest && rest.validator === validator ? rest.from : 0;
  return { bytes: readAhead(sftp, handle, from), from, total, validator };
}

async function* telling(bytes: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    throw sshFailure(error, signal);
  }
}

/** Opens a file over SFTP, or the rest of it; the host's key is not checked, no one has told it. Throws FetchFailed. */
export async function openSftp(
  ctx: Pick<Context, "guard">,
  url: URL,
  signal: AbortSignal,
  rest?: Rest,
): Promise<Source> {
  const addresses = await checkedAddresses(url.hostname, portOf(url), ctx.guard);
  signal.throwIfAborted();
  const client = new Client();
  const socket = connectTo(url, addresses);
  const hangUp = () => socket.destroy();
  signal.addEventListener("abort", hangUp, { once: true });
  const close = async () => {
    signal.removeEventListener("abort", hangUp);
    hangUp();
  };
  try {
    await signIn(client, socket, url);
    const file = await openFile(client, url, rest);
    return { ...file, bytes: telling(file.bytes, signal), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw sshFailure(error, signal);
  }
}
