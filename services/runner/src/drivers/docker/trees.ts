import type { FileHandle } from "node:fs/promises";
import { posix } from "node:path";
import type { Container } from "dockerode";
import type { Tree, Trees } from "../../driver.js";
import { raceAbort } from "../../work/ended.js";
import { home, located } from "./cache-volumes.js";
import { engineCall, engineError, statusOf } from "./engine.js";

const pieceBytes = 1024 * 1024;
const nameIn = (path: string): string => path.replace(/^\/+/, "");

/** Reads a path as an archive whose names begin with its last part; undefined if it is missing. */
async function archiveOf(container: Container, path: string, signal: AbortSignal) {
  try {
    const archive = await container.getArchive({ path, abortSignal: signal } as never);
    return archive as AsyncIterable<unknown> as AsyncIterable<Uint8Array>;
  } catch (error) {
    signal.throwIfAborted();
    if (statusOf(error) === 404) return undefined;
    throw engineError(error);
  }
}

async function place(container: Container, file: FileHandle): Promise<void> {
  const archive = file.createReadStream({ start: 0, autoClose: false, highWaterMark: pieceBytes });
  try {
    await engineCall(container.putArchive(archive, { path: "/", noOverwriteDirNonDir: "1" } as never));
  } finally {
    archive.destroy();
  }
}

/** The files of a build's containers. `container` returns one that sees them all. */
export const dockerTrees = (workspace: string, container: () => Promise<Container>): Trees => ({
  layout: { roots: [nameIn(workspace), nameIn(home)], isAbsolute: true },
  locate: (path) => located(workspace, path),
  nameOf: (path) => nameIn(located(workspace, path)),
  async *read(paths, signal): AsyncGenerator<Tree> {
    const from = await raceAbort(signal, container());
    for (const path of paths) {
      const at = located(workspace, path);
      const content = await archiveOf(from, at, signal);
      if (content) yield { folder: nameIn(posix.dirname(at)), content };
    }
  },
  async place(file, _sizeBytes, signal) {
    await raceAbort(
      signal,
      container().then((to) => place(to, file)),
    );
  },
});
