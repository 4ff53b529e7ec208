import { posix } from "node:path";
import { sizeText } from "@ci/kit/bytes/size-text";
import { sendUpload } from "@ci/kit/bytes/upload";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { traced } from "@ci/kit/process/trace";
import { Fault } from "@ci/kit/rpc/fault";
import { isGlob, maxGlobName } from "@ci/manifest/glob";
import type { ArtifactHeader, AssignedArtifact, QueueServiceClient } from "@ci/proto/builds/v1/queue";
import type { Environment, Mark } from "../driver.js";
import { isConflict, reasonOf } from "../endings/errors.js";
import { retry, retryInTrouble } from "../endings/retry.js";
import { matchesOf } from "./matches.js";

export interface Collecting {
  readonly environment: Pick<Environment, "list" | "open">;
  readonly queue: Pick<QueueServiceClient, "putArtifact">;
  readonly mark: Mark;
  readonly limitBytes: number;
  /** Hides secrets in names: a glob may find a file named after one. */
  readonly hide: (text: string) => Promise<string>;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const maxPattern = fixedLimit({
  max: maxGlobName,
  about: "characters of the name that a manifest of an earlier version gives to the files of a glob",
  effect: "no file of the glob is collected, and the job's output says why",
});

const maxMatchName = fixedLimit({
  max: maxGlobName,
  about: "characters of the name of a file that a glob finds, after each `*` is replaced by the file's own",
  refusal: "artifact error: F: the name would be longer than N characters",
  effect: "the file is not collected",
});
const tooLong = (verb: string) => new Fault("invalid", `the name ${verb} longer than ${maxGlobName} characters`);

/** `match`: a glob found it, so the record gets its own source and name. */
interface Wanted {
  readonly artifactId: number;
  readonly source: string;
  readonly name: string;
  readonly match: boolean;
}

/** Collects the artifacts of a job in order. Failures are printed and fail nothing. */
export async function collectArtifacts(artifacts: readonly AssignedArtifact[], on: Collecting): Promise<void> {
  const whenAble = retryInTrouble(on.signal);
  for (const artifact of artifacts)
    try {
      const all = await whenAble(() => wantedBy(artifact, on));
      for (const wanted of all) await collect(wanted, on, whenAble);
    } catch (error) {
      sayError(artifact.source, error, on);
    }
}

function sayError(source: string, error: unknown, { say, signal }: Collecting): void {
  signal.throwIfAborted();
  if (isConflict(error)) throw error;
  say(`artifact error: ${source}: ${reasonOf(error)}`);
}

async function wantedBy(artifact: AssignedArtifact, on: Collecting): Promise<Wanted[]> {
  const { id: artifactId, source, name } = artifact;
  if (!isGlob(source)) return [{ artifactId, source, name, match: false }];
  if (isNamed(artifact) && name.length > maxPattern) throw tooLong("is");
  const found = await matchesOf(source, on);
  if (found.length === 0) throw new Fault("not_found", "nothing matches");
  return found.flatMap((path) => {
    const given = nameOfMatch(artifact, path);
    if (given === undefined) sayError(path, tooLong("would be"), on);
    return given === undefined ? [] : [{ artifactId, source: path, name: given, match: true }];
  });
}

const isNamed = ({ source, name }: AssignedArtifact): boolean => name !== source && name !== posix.basename(source);

/** Stars in a row stand for the match's base name, which without a given name is the name; undefined if that is too long. */
function nameOfMatch(artifact: AssignedArtifact, path: string): string | undefined {
  const base = posix.basename(path);
  const parts = isNamed(artifact) ? artifact.name.split(/\*+/) : [];
  if (parts.length < 2) return base;
  const length = parts.join("").length + (parts.length - 1) * base.length;
  return length > maxMatchName ? undefined : parts.join(base);
}

async function collect(wanted: Wanted, on: Collecting, whenAble: ReturnType<typeof retryInTrouble>): Promise<void> {
  const { environment, queue, limitBytes, signal } = on;
  on.say(`Collecting artifact ${wanted.source} => ${wanted.name}`);
  const header = await headerOf(wanted, on);
  const send = () =>
    retry(signal, async () => {
      const file = await environment.open(wanted.source, signal);
      try {
        if (file.sizeBytes > limitBytes) throw new Fault("invalid", `larger than ${sizeText(limitBytes)}`);
        await queue.putArtifact(sendUpload(header, file.content), { signal });
      } finally {
        await file.close();
      }
    });
  try {
    await traced("artifact", { attributes: { "ci.artifact": wanted.artifactId } }, () => whenAble(send));
  } catch (error) {
    sayError(wanted.source, error, on);
  }
}

const headerOf = async (
  { artifactId, source, name, match }: Wanted,
  { mark, hide }: Collecting,
): Promise<ArtifactHeader> => ({
  ...mark,
  artifactId,
  ...(match ? { source: await hide(source), name: await hide(name) } : {}),
});
