import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type AnyAuthMethod, Client, type ClientChannel, utils } from "ssh2";

/** Where somebody may log in as root: with this key, or with an empty password. */
export interface Login {
  /** Of 127.0.0.1. */
  readonly port: number;
  readonly privateKey: string;
}

const firstTryMs = 2_000;
const tryEveryMs = 1_000;
/** A server that is up says who it is before it is asked. */
const greetingMs = 1_000;
/** For one that has greeted: working out keys can take a slow machine a while. */
const handshakeMs = 30_000;

/**
 * Logs in as soon as that is possible: the first try comes after 2 seconds, the next ones a second apart. `onFailure` is
 * told of every one that fails. Host keys are not checked: the connection does not leave this machine.
 * @throws the signal's reason
 */
export async function logIn(login: Login, onFailure: (error: Error) => void, signal: AbortSignal): Promise<Client> {
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  await pause(firstTryMs);
  for (;;) {
    const next = performance.now() + tryEveryMs;
    try {
      return await tryLogIn(login, signal);
    } catch (error) {
      signal.throwIfAborted();
      onFailure(error as Error);
    }
    await pause(Math.max(0, next - performance.now()));
  }
}

async function tryLogIn({ port, privateKey }: Login, signal: AbortSignal): Promise<Client> {
  const socket = connect(port, "127.0.0.1");
  const client = new Client();
  // Whoever waits for something hears of it there.
  client.on("error", () => undefined);
  const stop = () => socket.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await greeting(socket);
    const user = { username: "root" };
    const authHandler: AnyAuthMethod[] = [
      { type: "publickey", ...user, key: privateKey },
      { type: "password", ...user, password: "" },
      // How dropbear spells an empty password.
      { type: "none", ...user },
    ];
    const ready = once(client, "ready");
    client.connect({ sock: socket, ...user, authHandler, readyTimeout: handshakeMs, hostVerifier: () => true });
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

/** The forwarded port accepts connections long before anybody in the guest does. */
async function greeting(socket: Socket): Promise<void> {
  const silence = AbortSignal.timeout(greetingMs);
  await once(socket, "readable", { signal: silence }).catch((error) => {
    throw silence.aborted ? new Error("no SSH server answers") : error;
  });
  if (socket.readableLength === 0) throw new Error("no SSH server answers");
}

/**
 * Starts a command in the guest and writes its input, which the command must not read beyond: the input does not end
 * before the command, since a channel whose both ends are done would be closed from here. That is left to the server:
 * dropbear loses the next command if a channel is closed whose command still runs (seen with 2022.83). What the command
 * prints is read from the channel; `onExit` is told its exit code.
 */
export function startCommand(
  client: Client,
  command: string,
  input: string,
  onExit?: (code: unknown) => void,
): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) return reject(error);
      channel.stderr.resume();
      // The end of a quick command may have come with its beginning: whoever listens later has missed it.
      if (onExit) channel.on("exit", onExit);
      channel.write(input);
      resolve(channel);
    });
  });
}

/** What a command ended with that should have ended with 0. */
export class CommandFailed extends Error {
  constructor(readonly code: unknown) {
    super(`a command in the virtual machine ended with ${code}`);
  }
}

/** Runs a command that prints nothing of interest; throws unless it ends with 0. */
export async function runCommand(client: Client, command: string, input: string): Promise<void> {
  let code: unknown;
  const channel = await startCommand(client, command, input, (exitCode) => {
    code = exitCode;
  });
  channel.resume();
  await once(channel, "close");
  if (code !== 0) throw new CommandFailed(code);
}

/** A key pair for logging in, in OpenSSH's form. Of those that ssh2 makes, one in 300 or so is one that it cannot read. */
export function makeKeyPair(): { readonly private: string; readonly public: string } {
  for (;;) {
    const pair = utils.generateKeyPairSync("ed25519");
    if (!(utils.parseKey(pair.private) instanceof Error)) return pair;
  }
}
