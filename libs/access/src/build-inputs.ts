import { fullPause } from "@ci/kit/bus/full-pause";

/** How long the builds service may cache the variables, keys and objects of builds. */
export const inputsTrustMs = 50;

/** Waits until all cached copies have expired. Await it before confirming a change of a variable, key or object. */
export const expireInputs = (): Promise<void> => fullPause(inputsTrustMs);
