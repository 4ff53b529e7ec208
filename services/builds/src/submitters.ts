import { notFound } from "@ci/kit/rpc/fault";
import type { AccountServiceClient } from "@ci/proto/namespaces/v1/accounts";

/** What a trigger tells about who submitted the build. */
export interface Submitter {
  readonly email: string;
  readonly username: string;
}

const mostKnown = 10_000;

/** Looks up submitters, each once: neither name nor address of a user ever changes. */
export function submitters(accounts: Pick<AccountServiceClient, "getUser">): (userId: number) => Promise<Submitter> {
  const known = new Map<number, Submitter>();
  return async (userId) => {
    const before = known.get(userId);
    if (before) return before;
    const { user } = await accounts.getUser({ by: { $case: "id", value: userId } });
    if (!user) throw notFound();
    // The oldest goes first; it will be asked for again if needed.
    if (known.size >= mostKnown) known.delete(known.keys().next().value!);
    const { email, username } = user;
    known.set(userId, { email, username });
    return { email, username };
  };
}
