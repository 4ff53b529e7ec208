import { Fault } from "@ci/kit/rpc/fault";
import type { BuildDoc } from "./build.js";
import type { Change } from "./change.js";

/** Lets a build that waits for approval be claimed. Returns undefined for any other. */
export const approve = ({ awaitsApproval }: BuildDoc): Change | undefined =>
  awaitsApproval ? { set: { awaitsApproval: undefined } } : undefined;

/** Empties every field whose size its author chose, in a build that is killed before a member approved it. */
export function forgotten({ awaitsApproval, epoch, driver }: BuildDoc): Change["set"] {
  if (!awaitsApproval || epoch > 0) return {};
  return {
    manifest: "",
    axes: undefined,
    leftOut: undefined,
    services: undefined,
    caches: undefined,
    jobs: [],
    steps: [],
    objects: [],
    variables: [],
    keys: [],
    artifacts: [],
    driver: { ...driver, image: "", workspace: "" },
  };
}

export const isForgotten = ({ jobs }: { readonly jobs: readonly unknown[] }): boolean => jobs.length === 0;

/** Throws `conflict` if a member has to approve the build first. */
export function requireApproved({ _id, awaitsApproval }: BuildDoc): void {
  if (awaitsApproval) throw new Fault("conflict", `Build ${_id} waits for approval`);
}
