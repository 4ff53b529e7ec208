import { narrowed } from "@ci/builds/actions/manifest/when";
import { planJobs } from "@ci/builds/domain/plan";
import { sameRepository } from "@ci/builds/domain/repository";
import type { Manifest, ManifestJob } from "@ci/manifest/manifest";
import type { Trigger_Type } from "@ci/proto/builds/v1/builds";
import type { LocalSource } from "./source.js";

interface NamedJob {
  readonly name: string;
  readonly job: ManifestJob;
}

/** Returns the jobs of a manifest in order, with their names in a build. */
function namedJobs(manifest: Manifest): NamedJob[] {
  const jobs = manifest.stages.flatMap((stage) => manifest.jobs.filter((job) => job.stage === stage));
  const planned = planJobs(manifest, 1).slice(-jobs.length);
  return jobs.map((job, at) => ({ name: planned[at]!.name, job }));
}

interface Selected {
  readonly manifest: Manifest;
  /** Indexes of the jobs whose `when` does not match, and their names. */
  readonly leftOut: readonly number[];
  readonly skipped: readonly string[];
  /** Requested names that no job has. */
  readonly unknown: readonly string[];
  readonly known: readonly string[];
}

/** Keeps the jobs with these names, whatever their `when` says; without names, those whose `when` matches. */
export async function selectJobs(
  manifest: Manifest,
  names: readonly string[],
  occasion: { readonly event: Trigger_Type; readonly branch?: string | undefined },
): Promise<Selected> {
  const all = namedJobs(manifest);
  const known = all.map(({ name }) => name);
  if (names.length === 0) {
    const { branch, event } = occasion;
    const { manifest: kept, leftOut } = await narrowed(manifest, {
      event,
      ...(branch === undefined ? {} : { branch }),
    });
    const skipped = all.filter(({ job }) => !kept.jobs.includes(job)).map(({ name }) => name);
    return { manifest: kept, leftOut, skipped, unknown: [], known };
  }
  const jobs = all.flatMap(({ name, job: { when: _w, status: _s, ...job } }) =>
    names.includes(name) ? [{ ...job, name }] : [],
  );
  return {
    manifest: { ...manifest, jobs },
    leftOut: [],
    skipped: [],
    unknown: names.filter((name) => !known.includes(name)),
    known,
  };
}

/** Replaces the source of the local folder's repository; without one, adds the folder as the first source. */
export function withSource(manifest: Manifest, { remotes, root, name }: LocalSource) {
  const { sources } = manifest;
  const byAddress = sources.findIndex(({ url }) => remotes.some((remote) => sameRepository(url, remote)));
  const index = byAddress >= 0 ? byAddress : sources.findIndex(({ directory }) => directory === name);
  if (index >= 0) return { manifest, index, directory: sources[index]!.directory };
  const source = { url: remotes[0] ?? root, ref: "", directory: name };
  return { manifest: { ...manifest, sources: [source, ...sources] }, index: 0, directory: name };
}
