import type { Processes, ServiceName } from "@ci/testkit/processes";

const watched: ServiceName[] = ["gateway", "namespaces", "builds", "images", "webhooks", "runner"];
const MiB = 1024 ** 2;

/** Returns the largest growth of each process's memory during some work, in MiB. */
export async function growthDuring(
  processes: Processes,
  work: () => Promise<unknown>,
): Promise<(readonly [ServiceName, number])[]> {
  const before = new Map(watched.map((name) => [name, processes.anonymousBytes(name)]));
  const peak = new Map(before);
  const sampling = setInterval(() => {
    for (const name of watched) peak.set(name, Math.max(peak.get(name)!, processes.anonymousBytes(name)));
  }, 50);
  try {
    await work();
  } finally {
    clearInterval(sampling);
  }
  return watched.map((name) => [name, Math.round((peak.get(name)! - before.get(name)!) / MiB)] as const);
}
