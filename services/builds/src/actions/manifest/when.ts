import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { type Pace, pacer } from "@ci/kit/turns/pacer";
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

const sliceSteps = 500_000;
const maxPathSteps = fixedLimit({
  max: 2_000_000_000,
  about: "characters of the globs in `path`, times those of the changed files, in the manifests of a commit together",
  effect: "the changes count as unknown, which match",
});

/** What is known of an occasion. Aliases can repeat the same globs in every job. */
interface Matching {
  readonly pace: Pace;
  readonly known: Map<string, boolean>;
  leftPathSteps: number;
}

const matchings = new WeakMap<Occasion, Matching>();

function matchingOf(occasion: Occasion): Matching {
  const made = matchings.get(occasion) ?? { pace: pacer(sliceSteps), known: new Map(), leftPathSteps: maxPathSteps };
  matchings.set(occasion, made);
  return made;
}

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);

async function selectsText(globs: readonly string[], text: string, pace: Pace): Promise<boolean> {
  const steps = selects(globs, text);
  let step = steps.next();
  for (; !step.done; step = steps.next()) {
    const turn = pace(step.value.length * text.length);
    if (turn) await turn;
  }
  return step.value;
}

async function selectsAny(globs: readonly string[], texts: readonly string[], pace: Pace): Promise<boolean> {
  for (const text of texts) if (await selectsText(globs, text, pace)) return true;
  return false;
}

async function holds(key: keyof When, globs: readonly string[], occasion: Occasion): Promise<boolean> {
  const texts = key === "path" ? await occasion.files?.() : [occasion[key] ?? []].flat();
  if (!texts) return true;
  const matching = matchingOf(occasion);
  const name = `${key} ${JSON.stringify(globs)}`;
  const known = matching.known.get(name);
  if (known !== undefined) return known;
  const pathSteps = key === "path" ? lengthOf(globs) * lengthOf(texts) : 0;
  if (pathSteps > matching.leftPathSteps) return true;
  matching.leftPathSteps -= pathSteps;
  const found = await selectsAny(globs, texts, matching.pace);
  matching.known.set(name, found);
  return found;
}

/** Returns the first key that does not match; undefined if all match. */
export async function mismatch(when: When | undefined, occasion: Occasion): Promise<keyof When | undefined> {
  for (const key of ["event", "branch", "tag", "path"] as const) {
    const globs = when?.[key];
    if (globs && !(await holds(key, globs, occasion))) return key;
  }
  return undefined;
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
