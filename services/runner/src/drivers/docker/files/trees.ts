import type { FileHandle } from "node:fs/promises";
import { posix } from "node:path";
import type { Readable } from "node:stream";
import type { Container } from "dockerode";
import type { Tree, Trees } from "../../../driver.js";
import { raceAbort } from "../../../endings/ended.js";
import { engineCall, engineError, statusOf } from "../engine.js";
import { type Answer, statIn } from "./archive.js";
import { home, located } from "./cache-volumes.js";
import { notCached, type SharedVolumes } from "./shared-volumes.js";

const pieceBytes = 1024 * 1024;
const nameIn = (path: string): string => path.replace(/^\/+/, "");

interface TreesOptions {
  readonly workspace: string;
  readonly shared: Pick<SharedVolumes, "mounted" | "check">;
}

type Archive = Answer & Readable & AsyncIterable<Uint8Array>;

/** Reads a path as an archive whose names begin with its last part; undefined if it is missing. */
async function archiveOf(container: Container, path: string, signal: AbortSignal) {
  try {
    return (await container.getArchive({ path, abortSignal: signal } as never)) as unknown as Archive;
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
export const dockerTrees = ({ workspace, shared }: TreesOptions, container: () => Promise<Container>): Trees => ({
  layout: { roots: [nameIn(workspace), nameIn(home)], isAbsolute: true },
  locate: (path) => located(workspace, path),
  check: shared.check,
  nameOf: (path) => nameIn(located(workspace, path)),
  async *read(paths, signal): AsyncGenerator<Tree> {
    const from = await raceAbort(signal, container());
    for (const path of paths) {
      const at = located(workspace, path);
      const content = await archiveOf(from, at, signal);
      if (!content) continue;
      // Jobs cannot replace what a volume is mounted on.
      if (shared.mounted().some(({ target }) => target === at) && statIn(content).linkTarget !== "") {
        content.destroy();
        throw notCached(path, "a symbolic link");
      }
      yield { folder: nameIn(posix.dirname(at)), content };
    }
  },
  async place(file, _sizeBytes, signal) {
    await raceAbort(
      signal,
      container().then((to) => place(to, file)),
    );
  },
});
