import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Complaints } from "./complaints.js";
import { key, type Values } from "./mapping.js";
import { controls, type Placed, text } from "./spec.js";

export const reportKeys = {
  junit: key(text, "Path or glob of reports in the format of JUnit", "reports/**/*.xml", "path", "file"),
};

const maxReports = fixedLimit({
  max: 20,
  about: "reports of a job",
  refusal: "reports cannot have more than N entries",
});

/** Checks the reports of a job and returns their paths and globs. */
export function reportsOf(given: readonly Placed<Values<typeof reportKeys>>[], complain: Complaints): string[] {
  const beyond = given[maxReports];
  if (beyond) complain.addAt(beyond.at, `reports cannot have more than ${maxReports} entries`);
  return given.slice(0, maxReports).flatMap(({ at, value }) => {
    const path = (value.junit ?? "").trim();
    if (path !== "" && !controls.test(path)) return path;
    complain.addAt(at, path === "" ? "a report must have junit" : "junit cannot have control characters");
    return [];
  });
}
