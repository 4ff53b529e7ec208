import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { fairBytes } from "@ci/kit/turns/fair-bytes";

const smallBytes = 64 * 1024;
const maxBytes = fixedLimit({
  max: 32 * 1024 ** 2,
  unit: "bytes",
  about: "new builds of more than 64 KiB that a process makes and stores at a time",
  effect: "further ones wait; users take turns",
});
const refusalAt = (max: number | string) =>
  `Too many large builds at once, cannot exceed ${max} waiting per user; await a response before you send the next`;
const maxWaiting = fixedLimit({
  max: 64,
  about: "large new builds of one user that wait",
  refusal: refusalAt("N"),
  effect: "hook deliveries and cron jobs are tried again later",
});
export const waitsForTurn = (bytes: number): boolean => bytes > smallBytes;

/** Makes and stores a user's builds of this size when there is room for them in the heap. */
export const inBuildingTurn = fairBytes<number>(maxBytes, maxWaiting, refusalAt(maxWaiting));
