import type { Context, CronHandlers, Handlers, QueueHandlers } from "../context.js";
import { approveBuild } from "./approve-build.js";
import { checkManifest } from "./check-manifest.js";
import { createCron } from "./create-cron.js";
import { deleteCache } from "./delete-cache.js";
import { deleteCron } from "./delete-cron.js";
import { getArtifact } from "./get-artifact.js";
import { getBuild } from "./get-build.js";
import { getCron } from "./get-cron.js";
import { getJob } from "./get-job.js";
import { getLatestBuilds } from "./get-latest-builds.js";
import { killBuild } from "./kill-build.js";
import { listArtifacts } from "./list-artifacts.js";
import { listBuildKeys } from "./list-build-keys.js";
import { listBuildObjects } from "./list-build-objects.js";
import { listBuildVariables } from "./list-build-variables.js";
import { listBuilds } from "./list-builds.js";
import { listCaches } from "./list-caches.js";
import { listCrons } from "./list-crons.js";
import { listJobs } from "./list-jobs.js";
import { listTests } from "./list-tests.js";
import { pinBuild } from "./pin-build.js";
import { appendOutput } from "./queue/append-output.js";
import { claimBuild } from "./queue/claim-build.js";
import { findCache } from "./queue/find-cache.js";
import { finishJob } from "./queue/finish-job.js";
import { listLeases } from "./queue/list-leases.js";
import { putArtifact } from "./queue/put-artifact.js";
import { putCache } from "./queue/put-cache.js";
import { putTests } from "./queue/put-tests.js";
import { readAssignedObject } from "./queue/read-assigned-object.js";
import { readCache } from "./queue/read-cache.js";
import { recordVerdict } from "./queue/record-verdict.js";
import { renewLease } from "./queue/renew-lease.js";
import { returnBuild } from "./queue/return-build.js";
import { readArtifact } from "./read-artifact.js";
import { readOutput } from "./read-output.js";
import { restartBuild } from "./restart-build.js";
import { runCron } from "./run-cron.js";
import { submitBuild } from "./submit-build.js";
import { tagBuild } from "./tag-build.js";
import { untagBuild } from "./untag-build.js";
import { updateCron } from "./update-cron.js";
import { watchOutput } from "./watch-output.js";

export const buildHandlers = (ctx: Context): Handlers => ({
  submitBuild: submitBuild(ctx),
  checkManifest: checkManifest(ctx),
  restartBuild: restartBuild(ctx),
  getBuild: getBuild(ctx),
  getLatestBuilds: getLatestBuilds(ctx),
  listBuilds: listBuilds(ctx),
  killBuild: killBuild(ctx),
  approveBuild: approveBuild(ctx),
  pinBuild: pinBuild(ctx),
  tagBuild: tagBuild(ctx),
  untagBuild: untagBuild(ctx),
  listJobs: listJobs(ctx),
  getJob: getJob(ctx),
  listBuildObjects: listBuildObjects(ctx),
  listBuildVariables: listBuildVariables(ctx),
  listBuildKeys: listBuildKeys(ctx),
  listArtifacts: listArtifacts(ctx),
  getArtifact: getArtifact(ctx),
  readArtifact: readArtifact(ctx),
  listTests: listTests(ctx),
  listCaches: listCaches(ctx),
  deleteCache: deleteCache(ctx),
  readOutput: readOutput(ctx),
  watchOutput: watchOutput(ctx),
});

export const cronHandlers = (ctx: Context): CronHandlers => ({
  createCron: createCron(ctx),
  getCron: getCron(ctx),
  listCrons: listCrons(ctx),
  updateCron: updateCron(ctx),
  runCron: runCron(ctx),
  deleteCron: deleteCron(ctx),
});

export const queueHandlers = (ctx: Context): QueueHandlers => ({
  claimBuild: claimBuild(ctx),
  renewLease: renewLease(ctx),
  appendOutput: appendOutput(ctx),
  putArtifact: putArtifact(ctx),
  readAssignedObject: readAssignedObject(ctx),
  findCache: findCache(ctx),
  readCache: readCache(ctx),
  putCache: putCache(ctx),
  putTests: putTests(ctx),
  finishJob: finishJob(ctx),
  recordVerdict: recordVerdict(ctx),
  returnBuild: returnBuild(ctx),
  listLeases: listLeases(ctx),
});
