import type { Assignment } from "@ci/proto/builds/v1/queue";

export const installation = "c1c1";

let lastId = Math.floor(Math.random() * 1_000_000_000);
export const newId = () => ++lastId;

/** Returns an assignment with valid defaults. Each entry of `jobs` has the commands of one job. */
export function anAssignment(more: Partial<Assignment> = {}, ...jobs: (readonly string[])[]): Assignment {
  const aJob = (name: string, commands: readonly string[]) => ({
    id: newId(),
    name,
    stage: "s",
    commands,
    artifacts: [],
    ...{ mayFail: false, skipAfterSuccess: false, runAfterFailure: false, parallel: false, outputBytes: 0 },
    variables: [],
    junitReports: [],
  });
  return {
    buildId: newId(),
    epoch: 1,
    userId: 1,
    number: 1,
    driver: { type: "os", image: "", workspace: "", pullAlways: false, keepOnFailureMinutes: 0 },
    jobs: [aJob("create-driver", []), ...jobs.map((commands, index) => aJob(`job.${index + 1}`, commands))],
    objects: [],
    caches: [],
    cacheLimitBytes: 1024 ** 3,
    cacheReadOnly: false,
    variables: [],
    facts: [],
    services: [],
    keys: [],
    outputBytes: 0,
    buildTimeoutMs: 600_000,
    prepareTimeoutMs: 300_000,
    outputLimitBytes: 16 * 1024 ** 2,
    artifactLimitBytes: 50 * 1024 ** 2,
    namespaceOnly: false,
    installation,
    ...more,
  };
}
