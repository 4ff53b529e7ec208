import { pacer } from "@ci/kit/process/pacer";
import type { Manifest, ManifestJob } from "@ci/manifest/manifest";
import { selects, type When } from "@ci/manifest/when";
import type { Trigger_Type } from "@ci/proto/builds/v1/builds";

/** The event that would trigger a build, for `when`. */
export interface Occasion {
  readonly event: Trigger_Type;
  readonly branch?: string;
  readonly tag?: string;
  /** Returns the paths of the changed files; undefined if they are unknown. Called only if a manifest needs them. */
  readonly files?: () => Promise<readonly string[] | undefined>;
}

/** Steps of matching between two turns of the event loop. */
const sliceSteps = 500_000;

async function selectsFile(globs: readonly string[], files: readonly string[]): Promise<boolean> {
  const pace = pacer(sliceSteps);
  const globsLength = globs.reduce((sum, glob) => sum + glob.length, 0);
  for (const file of files) {
    if (selects(globs, file)) return true;
    await pace(globsLength * file.length);
  }
  return false;
}

const selectsText = (globs: readonly string[] | undefined, text: string | undefined): boolean =>
  globs === undefined || (text !== undefined && selects(globs, text));

/** Returns the first key that does not match; undefined if all match. */
export async function mismatch(when: When | undefined, occasion: Occasion): Promise<keyof When | undefined> {
  if (!when) return undefined;
  for (const key of ["event", "branch", "tag"] as const) if (!selectsText(when[key], occasion[key])) return key;
  const files = when.path && (await occasion.files?.());
  return when.path && files && !(await selectsFile(when.path, files)) ? "path" : undefined;
}

/** A manifest without the jobs whose `when` does not match, and their indexes in the whole manifest. */
export interface Narrowed {
  readonly manifest: Manifest;
  readonly leftOut: readonly number[];
}

export const withoutJobs = (manifest: Manifest, leftOut: readonly number[]): Narrowed => {
  const jobs = manifest.jobs.filter((_, index) => !leftOut.includes(index));
  return { manifest: leftOut.length > 0 ? { ...manifest, jobs } : manifest, leftOut };
};

/** Removes the jobs whose `when` does not match. */
export async function narrowed(manifest: Manifest, occasion: Occasion): Promise<Narrowed> {
  const isLeftOut = async ({ when }: ManifestJob, index: number) =>
    (await mismatch(when, occasion)) === undefined ? [] : [index];
  const leftOut: number[] = [];
  for (const [index, job] of manifest.jobs.entries()) leftOut.push(...(await isLeftOut(job, index)));
  return withoutJobs(manifest, leftOut);
}

/** Returns why a hook makes no build of a manifest; undefined if it makes one. */
export async function reasonAgainst({ when, jobs }: Manifest, occasion: Occasion): Promise<string | undefined> {
  const key = await mismatch(when, occasion);
  if (key) return `the manifest's when does not match: ${key}`;
  for (const job of jobs) if ((await mismatch(job.when, occasion)) === undefined) return undefined;
  return jobs.length === 0 ? undefined : "the when of no job matches";
}
