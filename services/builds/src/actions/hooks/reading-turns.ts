import { fairly } from "@ci/kit/process/fairly";
import { Fault } from "@ci/kit/rpc/fault";

const busy = "too many commits of one user are read";
/** Limits the commits that are read at a time, because each takes memory. */
export const inReadingTurn = fairly<number>(8, 16, busy);
export const isBusy = (error: unknown): boolean => error instanceof Fault && error.message === busy;
