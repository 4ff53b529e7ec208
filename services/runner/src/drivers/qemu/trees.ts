import { once } from "node:events";
import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { quote } from "@ci/git/clone-commands";
import { abortable } from "@ci/kit/bytes/chunked";
import type { Client } from "ssh2";
import type { Tree, Trees } from "../../driver.js";
import { inHome, nameBelow, readScript, tarFailed } from "../os/trees.js";
import { CommandFailed, startCommand } from "./ssh.js";

const commandOf = (script: string, ...args: string[]): string =>
  ["/bin/sh", "-c", quote(script), "sh", ...args.map(quote)].join(" ");

async function started(client: Client, command: string) {
  let code: unknown;
  const channel = await startCommand(client, command, "", (exitCode) => {
    code = exitCode;
  });
  const closed = once(channel, "close").then(() => {
    if (code !== 0) throw new CommandFailed(code);
  });
  closed.catch(() => undefined);
  return { channel, closed };
}

/** Reads paths below a folder of the guest as an archive. */
async function* archiveInGuest(client: Client, base: string, paths: readonly string[], signal: AbortSignal) {
  const { channel, closed } = await started(
    client,
    commandOf(readScript, base, ...paths.map((path) => `./${inHome(path)}`)),
  );
  yield* abortable(signal, channel.iterator({ destroyOnReturn: false }));
  await closed.catch(tarFailed("read the files"));
}

/** Places an archive of this size below a folder of the guest. The input of the command stays open. */
async function placeInGuest(client: Client, base: string, file: FileHandle, sizeBytes: number): Promise<void> {
  const { channel, closed } = await started(
    client,
    commandOf('head -c "$1" | tar -xpf - -C "$2"', String(sizeBytes), base),
  );
  channel.resume();
  const archive = file.createReadStream({ start: 0, end: sizeBytes - 1, autoClose: false });
  await Promise.all([closed, pipeline(archive, channel, { end: false })]).catch(tarFailed("place the files"));
}

/** The files of a guest below its home, which is also the working directory. */
export const guestTrees = (
  home: string,
  inGuest: <T>(signal: AbortSignal, work: (client: Client) => Promise<T>) => Promise<T>,
): Trees => ({
  layout: { roots: [""], isAbsolute: false },
  locate: inHome,
  nameOf: (path) => nameBelow(home, path),
  async *read(paths, signal): AsyncGenerator<Tree> {
    const client = await inGuest(signal, async (connected) => connected);
    yield { folder: "", content: archiveInGuest(client, home, paths, signal) };
  },
  place: (file, sizeBytes, signal) => inGuest(signal, (client) => placeInGuest(client, home, file, sizeBytes)),
});
