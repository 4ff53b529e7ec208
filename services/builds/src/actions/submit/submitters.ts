import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { notFound } from "@ci/kit/rpc/fault";
import type { AccountServiceClient } from "@ci/proto/namespaces/v1/accounts";

export interface Submitter {
  readonly email: string;
  readonly username: string;
}

const maxCached = fixedLimit({
  max: 10_000,
  about: "submitters that a process caches",
  effect: "the oldest is looked up again",
});

/** Looks up submitters and caches them for good: a user's name and address never change. */
export function cachingSubmitters(
  accounts: Pick<AccountServiceClient, "getUser">,
): (userId: number) => Promise<Submitter> {
  const cache = new Map<number, Submitter>();
  return async (userId) => {
    const cached = cache.get(userId);
    if (cached) return cached;
    const { user } = await accounts.getUser({ by: { $case: "id", value: userId } });
    if (!user) throw notFound();
    if (cache.size >= maxCached) cache.delete(cache.keys().next().value!);
    const { email, username } = user;
    cache.set(userId, { email, username });
    return { email, username };
  };
}
