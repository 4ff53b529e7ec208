import type { BuildDoc, JobDoc } from "../src/domain/build.js";

export const t0 = new Date("2026-03-01T12:00:00.000Z");
export const after = (ms: number) => new Date(t0.getTime() + ms);

export const aJob = (id: number, overrides: Partial<JobDoc> = {}): JobDoc => ({
  id,
  stage: "test",
  name: `job-${id}`,
  status: "queued",
  createdAt: t0,
  outputBytes: 0,
  mayFail: false,
  ...overrides,
});

/** A queued build of user 7 with the jobs 1 (setup), 2 and 3. */
export const aBuild = (overrides: Partial<BuildDoc> = {}): BuildDoc => ({
  _id: 100,
  rev: 1,
  userId: 7,
  ownerId: 7,
  number: 1,
  status: "queued",
  tags: [],
  pinned: false,
  createdAt: t0,
  manifest: "driver:\n  type: os\n",
  trigger: { type: "manual", comment: "", data: {} },
  outputBytes: 0,
  driver: { type: "os", image: "", workspace: "", pullAlways: false, keepOnFailureMinutes: 0 },
  jobs: [aJob(1, { stage: "setup - #1", name: "create-driver" }), aJob(2), aJob(3)],
  steps: [{ commands: [] }, { commands: ["true"] }, { commands: ["true"] }],
  objects: [],
  variables: [],
  keys: [],
  artifacts: [],
  epoch: 0,
  returns: 0,
  seq: 1,
  tail: [],
  tailFrom: 0,
  outbox: [],
  ...overrides,
});
