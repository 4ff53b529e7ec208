import { sizeText } from "@ci/kit/bytes/size-text";
import { fixedLimit } from "@ci/kit/process/fixed-limit";

const smaller = "push the commit to a branch of the repository itself, or use fewer and smaller manifests";
const maxBuilds = fixedLimit({
  max: 50,
  about: "builds of one commit of a fork that wait for approval",
  refusal: `The manifests of this commit make more than N builds that wait for approval; ${smaller}`,
});
const maxBytes = fixedLimit({
  max: 4 * 1024 ** 2,
  unit: "bytes",
  about: "records of a fork's commit's builds that wait for approval",
  refusal: `The manifests of this commit make builds of more than N that wait for approval; ${smaller}`,
});

const decide = "approve or kill waiting builds, then redeliver this hook delivery";
const tooMany = (max: number | "N") =>
  `More than ${max} builds of forks would wait for approval in this repository; ${decide}`;
const tooLarge = (max: string) =>
  `More than ${max} of builds of forks would wait for approval in this repository; ${decide}`;
const tooOften = (max: number | "N") =>
  `Forks would have made more than ${max} unapproved builds in this repository within 24 hours; approve waiting builds, push the commit to a branch of the repository itself, or redeliver this hook delivery later`;

export const maxWaiting = fixedLimit({
  max: 500,
  about: "builds of forks that wait for approval in one repository",
  refusal: tooMany("N"),
});
const maxWaitingBytes = fixedLimit({
  max: 32 * 1024 ** 2,
  unit: "bytes",
  about: "records of builds of forks that wait for approval in one repository",
  refusal: tooLarge("N"),
});
export const maxPerDay = fixedLimit({
  max: 1_000,
  about: "builds that forks make in one repository within 24 hours and that no member has approved",
  refusal: tooOften("N"),
});

export const dayMs = 24 * 3600 * 1_000;

export interface BuildsSize {
  readonly builds: number;
  readonly bytes: number;
}

export interface Unapproved {
  readonly ofCommit: BuildsSize;
  /** Those that wait in the repository, including those of the commit. */
  readonly waiting: BuildsSize;
  /** How many the repository got within a day, including those that were killed. */
  readonly madeToday: number;
}

export function unapprovedComplaints({ ofCommit, waiting, madeToday }: Unapproved, more: BuildsSize): string[] {
  const make = (much: string) => `The manifests of this commit make ${much} that wait for approval; ${smaller}`;
  if (ofCommit.builds + more.builds > maxBuilds) return [make(`more than ${maxBuilds} builds`)];
  if (ofCommit.bytes + more.bytes > maxBytes) return [make(`builds of more than ${sizeText(maxBytes)}`)];
  if (waiting.builds + more.builds > maxWaiting) return [tooMany(maxWaiting)];
  if (waiting.bytes + more.bytes > maxWaitingBytes) return [tooLarge(sizeText(maxWaitingBytes))];
  return madeToday + more.builds > maxPerDay ? [tooOften(maxPerDay)] : [];
}
