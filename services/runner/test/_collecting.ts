import { anAssignment, newId } from "./_assignment.js";

/** Returns a build with one job that collects these artifacts, given as `source` or `source => name`. */
export function buildCollecting(commands: readonly string[], entries: readonly string[], limitBytes = 1_000_000) {
  const assignment = anAssignment({ artifactLimitBytes: limitBytes }, commands);
  const artifacts = entries.map((entry) => {
    const [source, name] = entry.split(" => ");
    return { id: newId(), source: source!, name: name ?? source!.split("/").at(-1)! };
  });
  const [prepare, job] = assignment.jobs;
  return { ...assignment, jobs: [prepare!, { ...job!, artifacts }] };
}
