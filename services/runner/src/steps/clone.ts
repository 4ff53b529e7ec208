import { randomBytes } from "node:crypto";
import { PassThrough, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { checkout } from "@ci/git/checkout";
import { quote } from "@ci/git/clone-commands";
import { tooLargeText } from "@ci/git/pack-limits";
import { openRemote, type Remote } from "@ci/git/remote";
import { sizeText } from "@ci/kit/bytes/size-text";
import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault } from "@ci/kit/rpc/fault";
import type { Source } from "@ci/proto/builds/v1/queue";
import { type Environment, maxPathLength } from "../driver.js";
import { isHostTrouble } from "../endings/errors.js";
import { sourceArchive } from "./source-archive.js";
import { tooLongText } from "./too-long-text.js";

interface Cloning {
  readonly agent: ReturnType<typeof guardedAgent>;
  readonly environment: Pick<Environment, "put" | "run" | "unpack">;
  readonly limitBytes: number;
  readonly say: (line: string) => void;
  readonly onOutput: (bytes: Uint8Array) => Promise<void>;
  readonly signal: AbortSignal;
  /** When it aborts, the fetching ends without an error. The environment stays usable. */
  readonly stop: AbortSignal;
}

const maxPaths = fixedLimit({
  max: 200_000,
  about: "files and folders of a source that the runner itself fetches",
  refusal: "The repository could not be fetched: repository too large: more than N files and folders",
});
const maxPathBytes = fixedLimit({
  max: 32 * 1024 ** 2,
  unit: "bytes",
  about: "all paths together of a source that the runner itself fetches",
  refusal: "The repository could not be fetched: repository too large: all paths together are longer than N bytes",
});
/** What one response may hold. The runner keeps this much of a source in memory. */
const responseBytes = fixedLimit({
  max: 64 * 1024 ** 2,
  unit: "bytes",
  about: "one file of a source that the runner itself fetches; all its files if the server cannot filter",
  refusal:
    "The repository could not be fetched: a file is larger than N, or all are together and the server sends no parts",
});
const requestTimeoutMs = 10 * 60_000;

/** Reports whether the runner itself can fetch a source: over HTTP, without what only git does. */
export function canFetch({ url, submodules }: Source): boolean {
  return !submodules && /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** Refuses a folder that is longer than any path. Some versions of `mkdir` would create it, others would not. */
export function checkFolder({ directory }: Source): void {
  if (directory.length > maxPathLength) throw new Fault("invalid", tooLongText("folder of the source"));
}

async function open({ url: given }: Source, { agent, signal }: Cloning): Promise<Remote> {
  const url = new URL(given);
  const parts = [url.username, url.password].map(decodeURIComponent);
  const credentials = url.username === "" && url.password === "" ? undefined : parts.join(":");
  url.username = "";
  url.password = "";
  const limits = { maxBytes: responseBytes, totalBytes: Number.POSITIVE_INFINITY, maxObjects: 2 * maxPaths };
  return openRemote({ agent, url: url.href, credentials, signal, timeoutMs: requestTimeoutMs, ...limits });
}

/** A clone with a depth prefers a branch to a tag. Otherwise a checkout prefers the tag, except to the default branch. */
async function refsFor(remote: Remote, { ref, depth }: Source): Promise<string[]> {
  if (ref === "") return ["HEAD"];
  const [branch, tag] = [`refs/heads/${ref}`, `refs/tags/${ref}`];
  const isBranchFirst = depth || (await remote.head())?.ref === branch;
  return isBranchFirst ? [branch, tag, ref] : [tag, branch, ref];
}

async function commitOf(remote: Remote, source: Source): Promise<string> {
  const { ref } = source;
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(ref)) return ref;
  const found = await remote.find(...(await refsFor(remote, source)));
  if (found === undefined)
    throw new Fault("not_found", `The repository has no ${ref === "" ? "commits" : `ref ${ref}`}`);
  return found;
}

/** Lets a job unpack an archive. Only drivers that can place files between two jobs need this. */
async function unpackInJob(archive: Readable, { environment, onOutput, signal, stop }: Cloning): Promise<void> {
  const path = `.ci-source-${randomBytes(8).toString("hex")}.tar`;
  await environment.put({ path, mode: 0o600, content: archive }, signal);
  const script = ["exec 2>&1", `tar -xf ${quote(path)}`, "code=$?", `rm -f ${quote(path)}`, "exit $code", ""].join(
    "\n",
  );
  const code = await environment.run({ id: 0, script, stop }, onOutput, signal);
  if (code !== 0) throw new Fault("precondition", "The files could not be unpacked: the environment needs tar");
}

const tooLargeAtOnce = `a file is larger than ${sizeText(responseBytes)}, or all are together and the server sends no parts`;

function failed(error: unknown): unknown {
  if (error instanceof Fault || isHostTrouble(error)) return error;
  const given = error instanceof FetchFailed ? error.reason : (error as Error).message;
  const reason = given === tooLargeText ? tooLargeAtOnce : given;
  return new Fault("precondition", `The repository could not be fetched: ${reason}`, undefined, { cause: error });
}

/**
 * Fetches the files of a source and places them, for an environment without git. Connects only to addresses that the
 * agent allows. There is no history, and no folder `.git`.
 */
export async function cloneWithoutGit(source: Source, cloning: Cloning): Promise<void> {
  const { environment, limitBytes, say, signal, stop } = cloning;
  const either = AbortSignal.any([signal, stop]);
  const over = new AbortController();
  const archive = new PassThrough();
  either.addEventListener("abort", () => archive.destroy(), { once: true, signal: over.signal });
  let fetching: Promise<void> | undefined;
  try {
    const remote = await open(source, { ...cloning, signal: AbortSignal.any([either, over.signal]) });
    const id = await commitOf(remote, source);
    say(`There is no git here: the runner fetches the files of commit ${id}, without the history`);
    const files = checkout(remote, id, { maxPaths, maxPathBytes });
    fetching = pipeline(sourceArchive(files, source.directory, limitBytes), archive);
    fetching.catch(() => undefined);
    const placed = environment.unpack ? environment.unpack(archive, either) : unpackInJob(archive, cloning);
    placed.catch(() => undefined);
    // The environment's error follows from that of the repository, which says more.
    await Promise.race([fetching.then(() => placed), placed]);
    await fetching;
  } catch (error) {
    signal.throwIfAborted();
    if (!stop.aborted) throw failed(error);
  } finally {
    over.abort();
    archive.destroy();
    await fetching?.catch(() => undefined);
  }
}
