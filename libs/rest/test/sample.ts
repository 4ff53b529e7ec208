import { Build, Job } from "@ci/proto/builds/v1/builds";
import { User } from "@ci/proto/namespaces/v1/accounts";
import { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { relationsOf } from "../src/relations.js";

/** Returns a time on this day of January 2026. */
export const onDay = (day: number) => new Date(Date.UTC(2026, 0, day, 10, 20, 30, 4));

/** Formats `onDay(day)` as the API does. */
export const stamp = (day: number): string => `2026-01-${String(day).padStart(2, "0")}T10:20:30.004Z`;

export const ada = User.fromPartial({
  id: 1,
  email: "ada@example.com",
  username: "ada",
  admin: true,
  createdAt: onDay(1),
});
export const bob = User.fromPartial({ id: 2, email: "bob@example.com", username: "bob.b", createdAt: onDay(2) });

export const root = Namespace.fromPartial({
  id: 10,
  userId: 1,
  rootId: 10,
  name: "acme",
  path: "acme",
  description: "Everything",
  visibility: "private",
  createdAt: onDay(3),
});
export const child = Namespace.fromPartial({
  ...root,
  id: 11,
  parentId: 10,
  name: "web",
  path: "acme/web",
  description: "",
  createdAt: onDay(4),
});

export const build = Build.fromPartial({
  id: 100,
  userId: 2,
  namespaceId: 11,
  number: 7,
  status: "passed",
  output: "all good\n",
  outputBytes: 9,
  tags: [{ name: "é" }, { name: "b/c" }, { name: "Z" }, { name: "a" }],
  pinned: true,
  createdAt: onDay(5),
  startedAt: onDay(6),
  finishedAt: onDay(7),
  manifest: "driver:\n  type: os\n",
  trigger: { type: "manual", comment: "try", data: { username: "bob.b" } },
});

export const job = Job.fromPartial({
  id: 200,
  buildId: 100,
  stage: "test",
  name: "unit-tests",
  commands: ["make", "make test"],
  status: "passed",
  output: "ok\n",
  outputBytes: 3,
  exitCode: 0,
  createdAt: onDay(5),
  startedAt: onDay(6),
  finishedAt: onDay(7),
});

export const url = "https://ci.example.com/api";
export const relations = relationsOf(url, { users: [ada, bob], namespaces: [root, child] });

export const adaJson = { id: 1, email: "ada@example.com", username: "ada", created_at: stamp(1) };
export const bobJson = { id: 2, email: "bob@example.com", username: "bob.b", created_at: stamp(2) };

const collections = ["builds", "namespaces", "images", "objects", "variables", "keys", "invites", "collaborators"];
const namespaceUrls = (path: string) =>
  Object.fromEntries([...collections, "webhooks"].map((name) => [`${name}_url`, `${url}/n/ada/${path}/-/${name}`]));

export const rootJson = {
  id: 10,
  user_id: 1,
  root_id: 10,
  parent_id: null,
  name: "acme",
  path: "acme",
  description: "Everything",
  visibility: "private",
  created_at: stamp(3),
  url: `${url}/n/ada/acme`,
  ...namespaceUrls("acme"),
  user: adaJson,
};
export const childJson = {
  ...rootJson,
  id: 11,
  parent_id: 10,
  name: "web",
  path: "acme/web",
  description: "",
  created_at: stamp(4),
  url: `${url}/n/ada/acme/web`,
  ...namespaceUrls("acme/web"),
};

const buildUrl = `${url}/b/bob.b/7`;
/** The copy of the build inside other records. */
export const buildCopy = {
  id: 100,
  user_id: 2,
  namespace_id: 11,
  number: 7,
  status: "passed",
  output: null,
  tags: ["Z", "a", "b/c", "é"],
  pinned: true,
  created_at: stamp(5),
  started_at: stamp(6),
  finished_at: stamp(7),
  reason: null,
  url: buildUrl,
  objects_url: `${buildUrl}/objects`,
  variables_url: `${buildUrl}/variables`,
  keys_url: `${buildUrl}/keys`,
  jobs_url: `${buildUrl}/jobs`,
  artifacts_url: `${buildUrl}/artifacts`,
  tags_url: `${buildUrl}/tags`,
  output_url: `${buildUrl}/output`,
  content_url: `${buildUrl}/output?download`,
  user: bobJson,
  namespace: childJson,
  trigger: { type: "manual", comment: "try", data: { username: "bob.b" } },
  queue: null,
  group: null,
};
export const jobCopy = {
  id: 200,
  build_id: 100,
  stage: "test",
  name: "unit-tests",
  commmands: "make\nmake test",
  commands: "make\nmake test",
  status: "passed",
  output: null,
  created_at: stamp(5),
  started_at: stamp(6),
  finished_at: stamp(7),
  exit_code: 0,
  reason: null,
  url: `${buildUrl}/jobs/unit-tests`,
  output_url: `${buildUrl}/jobs/unit-tests/output`,
  content_url: `${buildUrl}/jobs/unit-tests/output?download`,
};
/** The owners in every record that belongs to a namespace. */
export const ownersJson = { author: bobJson, user: adaJson, namespace: childJson };
export const ownerIdsJson = { author_id: 2, user_id: 1, namespace_id: 11 };
export const ownerIds = { authorId: 2, userId: 1, namespaceId: 11 };
