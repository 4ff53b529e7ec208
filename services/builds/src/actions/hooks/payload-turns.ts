import { fairBytes } from "@ci/kit/process/fair-bytes";
import { fixedLimit } from "@ci/kit/process/fixed-limit";

const refusal = "Too many requests";
const smallBytes = 64 * 1024;
const maxBytes = fixedLimit({
  max: 16 * 1024 ** 2,
  unit: "bytes",
  about: "hook bodies of more than 64 KiB that a process reads at a time",
  effect: "further ones wait; users take turns",
});
const maxWaiting = fixedLimit({
  max: 64,
  about: "hook bodies of more than 64 KiB that wait to be read, for the repositories of one user",
  refusal,
});
const maxWaitingBytes = fixedLimit({
  max: 16 * 1024 ** 2,
  unit: "bytes",
  about: "hook bodies of more than 64 KiB that wait to be read, for the repositories of one user, together",
  refusal,
});
const inTurn = fairBytes<number>(maxBytes, maxWaiting, refusal, { maxWaitingBytes });

/** Reads a hook body for a user's repository once there is room in the heap for its values. */
export const inPayloadTurn = <T>(userId: number, bytes: number, task: () => Promise<T>): Promise<T> =>
  bytes <= smallBytes ? task() : inTurn(userId, bytes, task);
