import { fixedLimit } from "@ci/kit/process/fixed-limit";

/**
 * Objects that are read for one commit. A server that filters sends a handful; any other one sends all files of the
 * commit.
 */
export const maxObjects = fixedLimit({
  max: 50_000,
  about: "objects that are read of a repository for one commit",
  effect: "the commit makes no build; its status is an error",
});
