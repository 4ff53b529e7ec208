import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { sizeText } from "@ci/manifest/size-text";

const advice = "push the commit to a branch of the repository itself, or use fewer and smaller manifests";
const maxBuilds = fixedLimit({
  max: 50,
  about: "builds of one commit of a fork that wait for approval",
  refusal: `The manifests of this commit make more than N builds that wait for approval; ${advice}`,
});
const maxBytes = fixedLimit({
  max: 4 * 1024 ** 2,
  unit: "bytes",
  about: "records of a fork's commit's builds that wait for approval",
  refusal: `The manifests of this commit make builds of more than N that wait for approval; ${advice}`,
});

export interface BuildsSize {
  readonly builds: number;
  readonly bytes: number;
}

/** Complains if more builds of a fork's commit would wait for approval than a stranger may store. */
export function unapprovedComplaints(stored: BuildsSize, more: BuildsSize): string[] {
  const too = (much: string) => `The manifests of this commit make ${much} that wait for approval; ${advice}`;
  if (stored.builds + more.builds > maxBuilds) return [too(`more than ${maxBuilds} builds`)];
  return stored.bytes + more.bytes > maxBytes ? [too(`builds of more than ${sizeText(maxBytes)}`)] : [];
}
