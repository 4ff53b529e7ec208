import type { Processes, ServiceName } from "@ci/testkit/processes";

const watched: ServiceName[] = ["gateway", "namespaces", "builds", "images", "webhooks", "runner"];
const MiB = 1024 ** 2;

/** Returns by how many MiB the memory of each process grows at most during some work. */
export async function growthDuring(
  on: Processes,
  work: () => Promise<unknown>,
): Promise<(readonly [ServiceName, number])[]> {
  const before = new Map(watched.map((name) => [name, on.rssBytes(name)]));
  const most = new Map(before);
  const looking = setInterval(() => {
    for (const name of watched) most.set(name, Math.max(most.get(name)!, on.rssBytes(name)));
  }, 50);
  try {
    await work();
  } finally {
    clearInterval(looking);
  }
  return watched.map((name) => [name, Math.round((most.get(name)! - before.get(name)!) / MiB)] as const);
}
