import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { hostKeyCheck } from "@ci/kit/net/host-key-check";
import { type Algorithms, type AnyAuthMethod, Client, type ClientChannel, utils } from "ssh2";

export interface Login {
  readonly port: number;
  readonly privateKey: string;
}

const firstTryMs = 2_000;
const tryEveryMs = 1_000;
/** A running server sends its greeting unasked. */
const greetingMs = 1_000;
/** Key exchange takes a slow machine a while. */
const handshakeMs = 30_000;
/** A machine that has crashed and booted again resets the connection only when it is asked something. */
const keepAlive = { keepaliveInterval: 10_000, keepaliveCountMax: 30 };
/** Group exchange is missing: ssh2 would test the server's prime in one piece, which can take minutes. */
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

/**
 * Logs in as soon as possible: first after 2 seconds, then once a second. Calls `onFailure` for each failed try. Any
 * host key that is quick to verify is accepted, because the connection stays on this machine.
 * @throws the signal's reason
 */
export async function logIn(login: Login, onFailure: (error: Error) => void, signal: AbortSignal): Promise<Client> {
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  await pause(firstTryMs);
  for (;;) {
    const next = performance.now() + tryEveryMs;
    try {
      return await logInNow(login, signal);
    } catch (error) {
      signal.throwIfAborted();
      onFailure(error as Error);
    }
    await pause(Math.max(0, next - performance.now()));
  }
}

/** Logs in, or fails if the server does not respond at once. */
export async function logInNow({ port, privateKey }: Login, signal: AbortSignal): Promise<Client> {
  const socket = connect(port, "127.0.0.1");
  const client = new Client();
  // The caller gets the error from the call it awaits.
  client.on("error", () => undefined);
  const stop = () => socket.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await greeting(socket);
    const user = { username: "root" };
    const authHandler: AnyAuthMethod[] = [
      { type: "publickey", ...user, key: privateKey },
      { type: "password", ...user, password: "" },
      // Dropbear's name for an empty password.
      { type: "none", ...user },
    ];
    const ready = once(client, "ready");
    client.connect({
      sock: socket,
      ...user,
      authHandler,
      readyTimeout: handshakeMs,
      algorithms,
      ...keepAlive,
      hostVerifier: hostKeyCheck(),
    });
    await ready;
    return client;
  } catch (error) {
    client.end();
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The forwarded port accepts connections long before the guest does. */
async function greeting(socket: Socket): Promise<void> {
  const silence = AbortSignal.timeout(greetingMs);
  await once(socket, "readable", { signal: silence }).catch((error) => {
    throw silence.aborted ? new Error("no SSH server answers") : error;
  });
  if (socket.readableLength === 0) throw new Error("no SSH server answers");
}

/**
 * Starts a command and writes its input, which the command must not read to the end: the input stays open, because ssh2
 * closes a channel when both ends are done. Dropbear 2022.83 loses the next command if a channel is closed while its
 * command runs. Calls `onExit` with the exit code. If the server refused the command at first, it may also have run without
 * input, which must do no harm.
 */
export async function startCommand(
  client: Client,
  command: string,
  input: string,
  onExit?: (code: unknown) => void,
): Promise<ClientChannel> {
  const channel = await untilAccepted(() => execute(client, command, onExit));
  channel.write(input);
  return channel;
}

const execute = (client: Client, command: string, onExit?: (code: unknown) => void): Promise<ClientChannel> =>
  new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) return reject(error);
      channel.stderr.resume();
      // A quick command may exit in the same packet, so listen now.
      if (onExit) channel.on("exit", onExit);
      resolve(channel);
    });
  });

const maxTries = 8;
const firstPauseMs = 100;
const longestPauseMs = 1_000;
const refusal = /^(Unable to exec|Unable to start subsystem|Channel is not open)/;

/**
 * Requests a command or a subsystem again if the server refused it. Dropbear 2022.82 to 2024.85 may close a channel before
 * it reads what to run there, when the command of another channel ends at that moment, and then run it
 * without input or output: https://github.com/mkj/dropbear/pull/326. That command ends too, so a pause comes first.
 */
export async function untilAccepted<T>(request: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await request();
    } catch (error) {
      if (tries === maxTries || !(error instanceof Error && refusal.test(error.message))) throw error;
      await delay(Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1)));
    }
}

export class CommandFailed extends Error {
  constructor(readonly code: unknown) {
    super(`a command in the virtual machine ended with ${code}`);
  }
}

/** Runs a command without output. Throws unless it exits with 0. */
export async function runCommand(client: Client, command: string, input: string): Promise<void> {
  let code: unknown;
  const channel = await startCommand(client, command, input, (exitCode) => {
    code = exitCode;
  });
  channel.resume();
  await once(channel, "close");
  if (code !== 0) throw new CommandFailed(code);
}

/** Makes an OpenSSH key pair. ssh2 cannot read about one in 300 of its own keys. */
export function makeKeyPair(): { readonly private: string; readonly public: string } {
  for (;;) {
    const pair = utils.generateKeyPairSync("ed25519");
    if (!(utils.parseKey(pair.private) instanceof Error)) return pair;
  }
}
