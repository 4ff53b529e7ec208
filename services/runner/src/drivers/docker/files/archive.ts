import { posix } from "node:path";
import { pipeline } from "node:stream/promises";
import { sizeText } from "@ci/kit/bytes/size-text";
import { Fault } from "@ci/kit/rpc/fault";
import type { Container } from "dockerode";
import { extract, type Header, type Pack, pack } from "tar-stream";
import type { Found, OpenedFile } from "../../../driver.js";
import { raceAbort } from "../../../endings/ended.js";
import { HostTrouble } from "../../../endings/errors.js";
import { engineCall, engineError, isGatewayError, statusOf } from "../engine.js";
import type { SpooledFile } from "./spool.js";

async function fill(archive: Pack, files: readonly SpooledFile[]): Promise<void> {
  for (const { path, mode, folderMode, sizeBytes: size, read } of files) {
    const name = path.replace(/^\/+/, "");
    if (folderMode !== undefined)
      archive.entry({ name: `${posix.dirname(name)}/`, type: "directory", mode: folderMode });
    await pipeline(read(), archive.entry({ name, size, mode }));
  }
  archive.finalize();
}

/** Puts files into a container, which need not run. Creates missing folders. */
export async function putFiles(container: Container, files: readonly SpooledFile[]): Promise<void> {
  const archive = pack();
  const filled = fill(archive, files);
  filled.catch((error) => archive.destroy(error));
  try {
    const options = { path: "/", noOverwriteDirNonDir: "1" };
    await engineCall(container.putArchive(archive as unknown as NodeJS.ReadableStream, options as never));
    await filled;
  } finally {
    archive.destroy();
  }
}

/** Unpacks an archive into a folder of a container. */
export async function putArchive(
  container: Container,
  archive: NodeJS.ReadableStream,
  path: string,
  abortSignal: AbortSignal,
): Promise<void> {
  await engineCall(container.putArchive(archive, { path, noOverwriteDirNonDir: "1", abortSignal } as never));
}

/** The bits of a Go file mode that a regular file does not have. */
const irregularBits = 0x8f280000;
const directoryBit = 0x80000000;

interface Entry extends AsyncIterable<Uint8Array> {
  readonly header: Header;
  resume(): void;
}

interface Stat {
  readonly mode: number;
  readonly linkTarget: string;
}

export interface Answer {
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns what the engine says about the path that a response is about. */
export const statIn = ({ headers }: Answer): Stat =>
  JSON.parse(Buffer.from(headers["x-docker-container-path-stat"] ?? "", "base64").toString());

async function statOf(container: Container, path: string): Promise<Stat> {
  const response = (await container.infoArchive({ path }).catch((error) => {
    // This response has no body. A path that leads through a file is not even a 404.
    if (statusOf(error) === undefined || isGatewayError(error)) throw engineError(error);
    throw new Fault("not_found", "not found", undefined, { cause: error });
  })) as unknown as Answer & { resume(): void };
  response.resume();
  return statIn(response);
}

const maxLinks = 40;

/** Follows links to a path. The engine resolves them inside the container. */
async function followed(container: Container, path: string): Promise<{ path: string; mode: number }> {
  let at = path;
  for (let links = 0; links < maxLinks; links++) {
    const { mode, linkTarget } = await statOf(container, at);
    if (linkTarget === "") return { path: at, mode };
    at = linkTarget;
  }
  throw new Fault("precondition", "too many symbolic links");
}

/** Reports whether a path is a folder or missing, so that the engine can mount a volume there. */
export async function takesFolder(container: Container, path: string): Promise<boolean> {
  try {
    return ((await followed(container, path)).mode & directoryBit) !== 0;
  } catch (error) {
    if (error instanceof Fault) return statusOf(error.cause) === 404;
    throw error;
  }
}

/** Reports whether something lies at a path of a container, also of one that has ended. */
export async function existsIn(container: Container, path: string): Promise<boolean> {
  try {
    await statOf(container, path);
    return true;
  } catch (error) {
    if (error instanceof Fault && statusOf(error.cause) === 404) return false;
    throw error;
  }
}

/** Reads an archive entry by entry. Its names are foreign: they are never used as paths here. */
async function* entriesOf(container: Container, path: string, signal: AbortSignal): AsyncGenerator<Entry> {
  const archive = await container.getArchive({ path, abortSignal: signal } as never);
  const entries = extract();
  const piped = pipeline(archive, entries);
  piped.catch((error) => entries.destroy(error));
  try {
    yield* entries as AsyncIterable<unknown> as AsyncIterable<Entry>;
  } finally {
    entries.destroy();
    (archive as unknown as { destroy(): void }).destroy();
  }
}

const kinds: Record<string, Found["kind"]> = {
  file: "file",
  "contiguous-file": "file",
  link: "file",
  symlink: "link",
  directory: "directory",
};

export interface Listing {
  readonly directory: string;
  readonly depth: number;
  /** The engine sends what the files contain, too, and the holes of sparse files as zeros. */
  readonly maxBytes: number;
}

/** Lists a folder. Throws a Fault before the content of its files exceeds `maxBytes`. */
export async function* listArchive(
  container: Container,
  { directory, depth, maxBytes }: Listing,
  signal: AbortSignal,
): AsyncGenerator<Found> {
  let bytes = 0;
  try {
    const { path, mode } = await raceAbort(signal, followed(container, directory));
    if ((mode & directoryBit) === 0) return;
    for await (const entry of entriesOf(container, path, signal)) {
      const { name, type, size = 0 } = entry.header;
      bytes += size;
      if (bytes > maxBytes)
        throw new Fault("precondition", `its folder holds more than ${sizeText(maxBytes)} (DOCKER_DISK)`);
      entry.resume();
      const below = posix.relative(posix.basename(path), posix.normalize(name)).replace(/\/$/, "");
      if (below === "" || below.split("/").length > depth) continue;
      yield { path: below, kind: kinds[type ?? "file"] ?? "other" };
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Fault && error.code === "not_found")) throw engineError(error);
  }
}

async function* contentOf(entry: Entry, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* entry;
  } catch (cause) {
    signal.throwIfAborted();
    throw new HostTrouble("The connection to Docker Engine was lost", { cause });
  }
}

export async function openArchived(container: Container, wanted: string, signal: AbortSignal): Promise<OpenedFile> {
  try {
    const { path, mode } = await followed(container, wanted);
    if ((mode & irregularBits) !== 0) throw new Fault("precondition", "not a regular file");
    const entries = entriesOf(container, path, signal);
    const first = await entries.next();
    if (first.done || first.value.header.type !== "file") throw new Fault("precondition", "not a regular file");
    const { value: entry } = first;
    return {
      sizeBytes: entry.header.size ?? 0,
      content: contentOf(entry, signal),
      close: async () => void (await entries.return(undefined)),
    };
  } catch (error) {
    signal.throwIfAborted();
    throw engineError(error);
  }
}
