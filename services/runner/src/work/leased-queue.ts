import type { UploadMessage } from "@ci/kit/bytes/upload";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { QueueServiceClient } from "@ci/proto/builds/v1/queue";

/** The secrets of claimed leases, by build and epoch. */
export type LeaseSecrets = Map<string, string>;

const maxSecrets = fixedLimit({
  max: 10_000,
  about: "secrets of leases that a runner remembers",
  effect: "the one that was not renewed for the longest time is forgotten",
});

interface Held {
  readonly buildId?: number | undefined;
  readonly epoch?: number | undefined;
  readonly leaseSecret?: string | undefined;
}

const keyOf = ({ buildId, epoch }: Held) => `${buildId}/${epoch}`;

/**
 * A client of the queue that adds the secret of a lease to each report about it. The rest of the runner does not know
 * these secrets, so it cannot write them onto a container or into a log.
 */
export function leasedQueue(queue: QueueServiceClient, secrets: LeaseSecrets = new Map()): QueueServiceClient {
  const withSecret = <R extends Held>(report: R) => ({ leaseSecret: secrets.get(keyOf(report)), ...report });
  function keep(held: Held, secret: string): void {
    secrets.delete(keyOf(held));
    const [oldest] = secrets.keys();
    if (oldest !== undefined && secrets.size >= maxSecrets) secrets.delete(oldest);
    secrets.set(keyOf(held), secret);
  }
  async function* withSecretInHeader<H extends Held>(parts: AsyncIterable<UploadMessage<H>>) {
    for await (const one of parts) {
      const { part } = one;
      yield part?.$case === "header" ? { part: { ...part, value: withSecret(part.value) } } : one;
    }
  }
  return {
    async claimBuild(request, options) {
      const response = await queue.claimBuild(request, options);
      const { assignment } = response;
      if (assignment) keep(assignment, assignment.leaseSecret ?? "");
      return response;
    },
    async renewLease(report, options) {
      const secret = secrets.get(keyOf(report));
      if (secret !== undefined) keep(report, secret);
      return queue.renewLease(withSecret(report), options);
    },
    appendOutput: (report, options) => queue.appendOutput(withSecret(report), options),
    putArtifact: (parts, options) =>
      queue.putArtifact(withSecretInHeader(parts as AsyncIterable<UploadMessage<Held>>), options),
    findCache: (report, options) => queue.findCache(withSecret(report), options),
    readCache: (report, options) => queue.readCache(withSecret(report), options),
    putCache: (parts, options) =>
      queue.putCache(withSecretInHeader(parts as AsyncIterable<UploadMessage<Held>>), options),
    readAssignedObject: (report, options) => queue.readAssignedObject(withSecret(report), options),
    putTests: (report, options) => queue.putTests(withSecret(report), options),
    finishJob: (report, options) => queue.finishJob(withSecret(report), options),
    recordVerdict: (report, options) => queue.recordVerdict(withSecret(report), options),
    returnBuild: (report, options) => queue.returnBuild(withSecret(report), options),
    listLeases: (request, options) => queue.listLeases(request, options),
  };
}
