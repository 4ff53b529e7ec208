import type { QueueServiceClient } from "@ci/proto/builds/v1/queue";
import { type LeaseSecrets, leasedQueue } from "@ci/runner/work/leased-queue";

const ofFile: LeaseSecrets = new Map();

/**
 * A client of the queue as the runner uses it. All clients of a test file share the secrets of their leases, unless the
 * file has several installations, whose builds have the same ids.
 */
export const leased = (queue: QueueServiceClient, secrets = ofFile): QueueServiceClient => leasedQueue(queue, secrets);
