import type { QueueServiceClient } from "@ci/proto/builds/v1/queue";
import { type LeaseSecrets, leasedQueue } from "@ci/runner/work/leased-queue";

const secrets: LeaseSecrets = new Map();

/** A client of the queue as the runner uses it. All clients of a test file share the secrets of their leases. */
export const leased = (queue: QueueServiceClient): QueueServiceClient => leasedQueue(queue, secrets);
