import type { AssignedJob, Assignment } from "@ci/proto/builds/v1/queue";
import type { Job, Order } from "../driver.js";
import { loginVariable } from "../drivers/registry/logins.js";
import { scriptOf } from "../steps/script.js";

const jobOf = ({ id, name, stage, variables, parallel, ...job }: AssignedJob, facts: Order["variables"]): Job => ({
  id,
  script: scriptOf(job),
  facts: [...facts, { key: "CI_JOB", value: name }, { key: "CI_STAGE", value: stage }],
  variables,
  ...(parallel ? { beside: stage } : {}),
});

/** Returns what a driver has to know of a build. */
export const orderOf = ({ installation, buildId, epoch, driver, ...build }: Assignment): Order => ({
  mark: { installation, buildId, epoch },
  image: driver?.image ?? "",
  imageTicket: build.imageTicket,
  workspace: driver?.workspace ?? "",
  pullAlways: driver?.pullAlways ?? false,
  pullIfNotPresent: driver?.pullIfNotPresent ?? false,
  variables: build.variables.filter(({ key }) => key !== loginVariable),
  logins: build.variables.find(({ key }) => key === loginVariable)?.value,
  services: build.services,
  jobs: build.jobs.slice(1).flatMap((job) => (job.service === undefined ? jobOf(job, build.facts) : [])),
  cachePaths: build.caches.flatMap(({ paths }) => paths),
});
