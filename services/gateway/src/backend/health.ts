import type { Log } from "@ci/kit/process/log";
import { anonymous, runAs } from "@ci/kit/rpc/caller";
import { asFault, Fault } from "@ci/kit/rpc/fault";
import { sharedReads } from "@ci/kit/turns/shared-reads";
import type { Clients } from "./clients.js";

const timeoutMs = 3_000;
const minuteMs = 60_000;

type Services = Pick<Clients, "accounts" | "builds" | "images" | "webhooks">;

function failureOf(peer: string, error: unknown): { peer: string; err: unknown }[] {
  const { code, cause } = asFault(error);
  return code === "internal" || code === "unavailable" ? [{ peer, err: cause }] : [];
}

/** Requests that read a service's own database, as a user who does not exist. */
function requestsOf({ accounts, builds, images, webhooks }: Services): [string, Promise<unknown>][] {
  const options = { signal: AbortSignal.timeout(timeoutMs) };
  return [
    ["namespaces", accounts.resolve({ userIds: [0], namespaceIds: [] }, options)],
    ["builds", builds.getLatestBuilds({ namespaceIds: [0] }, options)],
    ["images", images.getImage({ id: 0 }, options)],
    ["webhooks", webhooks.getWebhook({ namespaceId: 0, id: 0 }, options)],
  ];
}

/** Returns why services are not healthy. A healthy one says that the record does not exist. */
async function failuresOf(services: Services) {
  const requests = runAs({ ...anonymous(), userId: 0 }, () => requestsOf(services));
  const failures = requests.map(([peer, request]) =>
    request.then(
      () => [],
      (error) => failureOf(peer, error),
    ),
  );
  return (await Promise.all(failures)).flat();
}

/** Returns a check that throws `unavailable` if a service does not respond, and logs why at most once a minute. */
export function healthCheck(services: Services, log: Log, now: () => number = Date.now): () => Promise<void> {
  const shared = sharedReads<void>();
  let loggedAt = Number.NEGATIVE_INFINITY;
  const check = async () => {
    const [failure] = await failuresOf(services);
    if (!failure) return;
    const at = now();
    if (at - loggedAt >= minuteMs) {
      loggedAt = at;
      log.warn(failure, "a service does not respond");
    }
    throw new Fault("unavailable", "Service unavailable");
  };
  return () => shared("health", check);
}
