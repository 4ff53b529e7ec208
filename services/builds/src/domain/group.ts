import { sizeText } from "@ci/kit/bytes/size-text";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { type Manifest, variantOf } from "@ci/manifest/manifest";
import type { Axes } from "@ci/manifest/matrix";
import type { Submission } from "./new-build.js";

/** The manifest of one build, and its combination if a matrix makes it. */
export interface Member {
  readonly manifest: Manifest;
  readonly axes?: Axes;
}

const isSame = (a: Axes, b: Axes): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([name, value]) => b[name] === value);

/** Returns the builds of a manifest: one, or one per combination of its matrix; with `only`, just that combination. */
export function membersOf(manifest: Manifest, only?: Axes): Member[] {
  const { matrix } = manifest;
  if (!matrix) return [{ manifest }];
  const chosen = only ? matrix.filter(({ axes }) => isSame(axes, only)) : matrix;
  return (chosen.length > 0 ? chosen : matrix.slice(0, 1)).map((variant) => ({
    manifest: variantOf(manifest, variant),
    axes: variant.axes,
  }));
}

/** A group is stored in one write, which MongoDB limits to 16 MiB. */
const maxGroupBytes = fixedLimit({
  max: 12 * 1024 ** 2,
  unit: "bytes",
  about: "builds of a matrix together",
  refusal: "Manifest matrix makes builds that are larger than N together",
});

/** Complains if the builds of a matrix would be too large together. Each holds its manifest as text and as jobs. */
export function sizeComplaints({ matrix = [], ...manifest }: Manifest, inputs: Submission["inputs"]): string[] {
  if (matrix.length < 2) return [];
  const bytes = 2 * matrix.length * Buffer.byteLength(JSON.stringify([manifest, inputs]));
  if (bytes <= maxGroupBytes) return [];
  const how = "use fewer combinations, a shorter manifest or fewer variables";
  return [`Manifest matrix makes builds that are larger than ${sizeText(maxGroupBytes)} together; ${how}`];
}

/** Complains about parameters that would contradict the combination of a build. */
export const axisComplaints = ({ manifest, parameters = [] }: Pick<Submission, "manifest" | "parameters">): string[] =>
  parameters
    .filter(({ key }) => manifest.matrix?.some(({ axes }) => Object.hasOwn(axes, key)))
    .map(({ key }) => `Variables ${key} is an axis of the manifest's matrix`);

/**
 * Returns the fields that keep the builds of a group apart in unique indexes: only the first one has the cron job's
 * run, and each has its own path among the builds of a hook's delivery.
 */
export function inGroup({ run, origin }: Pick<Submission, "run" | "origin">, index: number, size: number) {
  if (index === 0) return { run, origin };
  const path = origin?.path === undefined ? undefined : `${origin.path} (${index + 1} of ${size})`;
  return { run: run && { cronId: run.cronId }, origin: origin && { ...origin, path } };
}
