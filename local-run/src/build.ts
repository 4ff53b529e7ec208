import { assignment } from "@ci/builds/domain/assignment";
import { isFinal } from "@ci/builds/domain/build";
import { platformOf } from "@ci/builds/domain/cache";
import type { Member } from "@ci/builds/domain/group";
import { claim, kill } from "@ci/builds/domain/moves";
import { idsOf, idsOfInputs, newBuild, type Submission } from "@ci/builds/domain/new-build";
import { giveBack } from "@ci/builds/domain/take-back";
import type { Assignment } from "@ci/proto/builds/v1/queue";
import { runBuild } from "@ci/runner/build";
import { Ended } from "@ci/runner/endings/ended";
import type { Lease } from "@ci/runner/work/lease";
import type { LocalConfig } from "./config.js";
import { type HeldBuild, holdBuild, jobEventOf } from "./held-build.js";
import { keepingFiles } from "./keep-files.js";
import type { Machine } from "./machine.js";
import { type SourceJob, withLocalSource } from "./place-source.js";
import { localQueue, type QueueOptions } from "./queue.js";

/** Shared by all builds of a run. */
export interface Running extends Pick<QueueOptions, "objects" | "emit"> {
  readonly config: LocalConfig;
  readonly machine: Machine;
  readonly submission: Omit<Submission, "manifest" | "axes" | "place">;
  /** Builds in the same folder share caches. */
  readonly owner: string;
  readonly source: (Pick<SourceJob, "source" | "directory"> & { readonly index: number }) | undefined;
  readonly artifactPathOf: (number: number) => QueueOptions["artifactPath"];
  /** Returns the folder for the files of a build's jobs; undefined if they are not kept. */
  readonly keepIn: (number: number) => string | undefined;
  /** Kills the build. */
  readonly signal: AbortSignal;
}

/** Without an installation id, the driver would treat containers as leftovers of an old version. */
const installation = "0";

const noLease = { runnerId: "local", leaseHash: "" };
const queued = { position: 1, reason: "waiting for a runner" };

function makeBuild(number: number, { manifest, axes }: Member, { submission }: Running) {
  const whole: Submission = { ...submission, manifest, place: queued, ...(axes ? { axes } : {}) };
  const { inputs, parameters = [] } = submission;
  const counts = { ...idsOf(manifest, []), ...idsOfInputs(manifest, inputs, parameters) };
  const ids = Object.fromEntries(Object.keys(counts).map((kind) => [kind, 1])) as Record<keyof typeof counts, number>;
  return newBuild(whole, { ...ids, build: number }, number, new Date(), (value) => value);
}

/** No other runner can take the build, so only a kill ends the lease. */
function killableLease(build: HeldBuild, by: string, signal: AbortSignal): Lease {
  const lost = new AbortController();
  const killed = new AbortController();
  const end = () => killed.abort(new Ended("killed", `Build killed by ${by}`));
  const onAbort = () => void build.change((doc) => kill(doc, new Date(), by)).finally(end);
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    ended: AbortSignal.any([lost.signal, killed.signal]),
    lost: lost.signal,
    renew: () => undefined,
    lose: () => lost.abort(new Ended("lost")),
    [Symbol.dispose]: () => signal.removeEventListener("abort", onAbort),
  };
}

function assign(build: HeldBuild, { config }: Running): Assignment {
  const terms = { ...config, followsOrder: true };
  return { ...assignment(build.doc(), terms, (value) => value), installation };
}

async function runHere(build: HeldBuild, running: Running): Promise<void> {
  const { config, machine, source, owner, objects, emit, artifactPathOf, submission } = running;
  const { number, driver } = build.doc();
  const { copies, drivers, agent, log } = machine;
  const caches = { owner, platform: platformOf(build.doc()), folder: config.cacheDir, copies };
  const queue = localQueue({ build, caches, objects, emit, artifactPath: artifactPathOf(number) });
  using lease = killableLease(build, submission.submitter, running.signal);
  await build.change((doc) => claim(doc, noLease, 0, new Date()));
  const assigned = assign(build, running);
  const jobId = source && assigned.jobs.filter((job) => job.source)[source.index]!.id;
  const kept = running.keepIn(number);
  const own = kept ? keepingFiles(drivers.get(driver.type)!, kept, emit) : drivers.get(driver.type)!;
  const place = { ...source!, jobId: jobId!, maxBytes: config.cloneBytes, copies };
  const ctx = { config, agent, queue, copies, log };
  try {
    await runBuild(ctx, source ? withLocalSource(own, place) : own, assigned, { lease, onOver: () => undefined });
  } catch (error) {
    if (!isFinal(build.doc().status)) log.warn({ err: error }, "this machine cannot continue");
  }
  const noReturns = { returns: 0, tagId: 0 };
  if (!isFinal(build.doc().status)) await build.change((doc) => giveBack(doc, doc.epoch, noReturns, new Date()));
}

/** Runs one build to its end. Returns its status. */
export async function runMember(number: number, member: Member, running: Running) {
  const { emit, signal } = running;
  const build = holdBuild(makeBuild(number, member, running), emit);
  const startedAt = performance.now();
  const jobs = build.doc().jobs.map(({ name }) => name);
  await emit({ event: "build", data: { number, axes: member.axes ?? {}, jobs } });
  if (signal.aborted) await build.change((doc) => kill(doc, new Date(), running.submission.submitter));
  else await runHere(build, running);
  const { status, reason, jobs: ended } = build.doc();
  const seconds = Math.round(performance.now() - startedAt) / 1_000;
  await emit({ event: "end", data: { number, status, seconds, reason, jobs: ended.map(jobEventOf) } });
  return status;
}
