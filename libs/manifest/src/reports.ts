import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Complaints } from "./complaints.js";
import type { Placed } from "./spec.js";

const maxReports = fixedLimit({
  max: 20,
  about: "reports of a job",
  refusal: "reports cannot have more than N entries",
});

const controls = /\p{Cc}/u;

/** Checks the reports of a job and returns their paths and globs. */
export function reportsOf(given: readonly Placed<{ readonly junit?: string }>[], complain: Complaints): string[] {
  const beyond = given[maxReports];
  if (beyond) complain.addAt(beyond.at, `reports cannot have more than ${maxReports} entries`);
  return given.slice(0, maxReports).flatMap(({ at, value }) => {
    const path = (value.junit ?? "").trim();
    if (path !== "" && !controls.test(path)) return path;
    complain.addAt(at, path === "" ? "a report must have junit" : "junit cannot have control characters");
    return [];
  });
}
