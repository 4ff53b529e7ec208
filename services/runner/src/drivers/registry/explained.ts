import type { FetchFailed } from "@ci/kit/net/fetch-failed";

/** Says why a registry could not be reached, and what to check if the reason is a name. */
export function explained({ reason, host }: FetchFailed): string {
  if (host === undefined) return reason;
  return `${reason}: ${host}; check the image's registry, and the name servers of the runner's machine`;
}
