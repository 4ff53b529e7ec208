import { Fault } from "@ci/kit/rpc/fault";
import type { BuildDoc } from "./build.js";
import type { Change } from "./change.js";

/** Lets a build that waits for approval be claimed. Returns undefined for any other. */
export const approve = ({ awaitsApproval }: BuildDoc): Change | undefined =>
  awaitsApproval ? { set: { awaitsApproval: undefined } } : undefined;

/** Throws `conflict` if a member has to approve the build first. */
export function requireApproved({ _id, awaitsApproval }: BuildDoc): void {
  if (awaitsApproval) throw new Fault("conflict", `Build ${_id} waits for approval`);
}
