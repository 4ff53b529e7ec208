import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { fairly } from "@ci/kit/turns/fairly";

const refusal = "Too many requests at once; await a response before you send the next";
const maxLists = fixedLimit({
  max: 12,
  about: "lists of builds or cron jobs that a process reads at a time, half of them at most of one user",
  effect: "further ones wait; users take turns",
});
const maxRecords = fixedLimit({
  max: 4,
  about: "builds whose variables or keys a process reads at a time, half of them at most of one user",
  effect: "further ones wait; users take turns",
});
const maxWaiting = fixedLimit({
  max: 1_000,
  about: "lists, or reads of variables and keys of builds, of one user that wait",
  refusal,
});

/** Reads a list in the user's turn: a batch from MongoDB may have 16 MiB before its manifests are cut. */
export const inListingTurn = fairly<number>(maxLists, maxWaiting, refusal);

/** Reads the variables or keys of a build in the user's turn: a record may have 16 MiB. */
export const inRecordTurn = fairly<number | undefined>(maxRecords, maxWaiting, refusal);
