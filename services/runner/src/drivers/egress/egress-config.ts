import { parseRanges, type Range } from "@ci/kit/net/guard";
import type { Settings } from "@ci/kit/process/config";
import { fixedLimit } from "@ci/kit/process/fixed-limit";

export interface EgressConfig {
  /** `warn` enforces where the runner can, and says where it cannot. */
  mode: "enforce" | "warn" | "open";
  allow: readonly Range[];
  /** An image with iptables, to set the rules through the engine; empty for none. */
  image: string;
}

const maxRanges = fixedLimit({ max: 256, about: "ranges of `JOB_EGRESS_ALLOW`", effect: "the runner does not start" });

function egressRanges(text: string): readonly Range[] {
  const ranges = parseRanges(text);
  if (ranges.length > maxRanges) throw new Error(`must be at most ${maxRanges} ranges, not ${ranges.length}`);
  return ranges;
}

export const egressConfig = (s: Settings): EgressConfig => ({
  mode: s.oneOf(
    "JOB_EGRESS",
    "which addresses jobs of docker and qemu reach: `warn` (public ones where the runner can set the packet filter, and a warning elsewhere), `enforce` (public ones, or the runner claims no builds), `open` (all)",
    ["warn", "enforce", "open"],
    "warn",
  ),
  allow: s.parsed(
    "JOB_EGRESS_ALLOW",
    "private addresses and CIDR ranges that jobs may reach, separated by commas",
    "",
    egressRanges,
  ),
  image: s.str(
    "JOB_EGRESS_IMAGE",
    "image with iptables and a shell, such as `docker:28-dind`: sets the packet filter of an engine on whose host the runner is not root",
    "",
  ),
});
