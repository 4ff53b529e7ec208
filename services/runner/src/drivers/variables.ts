import type { Job, Order } from "../driver.js";

/** Returns the variables of a job. Those of the user replace what the build knows about itself. */
export function variablesOf(
  { variables }: Pick<Order, "variables">,
  job: Pick<Job, "facts" | "variables">,
  workspace: string,
): Order["variables"] {
  const all = [{ key: "CI_WORKSPACE", value: workspace }, ...(job.facts ?? []), ...variables, ...(job.variables ?? [])];
  const byKey = new Map(all.map(({ key, value }) => [key, value]));
  return [...byKey].map(([key, value]) => ({ key, value }));
}
