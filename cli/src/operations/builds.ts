import { many, one, optional, text } from "../command.js";
import { statuses } from "../statuses.js";
import type { Operations } from "./operation.js";

const build = one("Number, alice/12, URL or last");
const anyBuild = optional("Number, alice/12, URL or last; default: last");

/** Commands for builds that send one request. */
export const builds = {
  jobs: {
    ...{
      about: "List the jobs of a build",
      method: "GET",
      path: "{build}/jobs",
      args: { build: anyBuild },
      names: "name",
    },
    columns: ["stage", "name", "status", "time", "exit_code", "reason"],
    options: { status: text("Only jobs with this status", { choices: statuses }) },
  },
  tests: {
    ...{ about: "List the test cases of a build", method: "GET", path: "{build}/tests", args: { build: anyBuild } },
    ...{ columns: ["status", "suite", "class_name", "name", "seconds", "message"], names: "name" },
    options: {
      status: text("Only cases with this status", { choices: ["passed", "failed", "skipped"] }),
      order: text("Sort by job, or slowest first", { choices: ["jobs", "slowest"] }),
    },
  },
  "inputs vars": {
    ...{ about: "List the variables of a build", method: "GET", path: "{build}/variables", args: { build: anyBuild } },
    ...{ columns: ["key", "value", "masked"], names: "key" },
  },
  "inputs keys": {
    ...{ about: "List the SSH keys of a build", method: "GET", path: "{build}/keys", args: { build: anyBuild } },
    ...{ columns: ["name", "location", "config"], names: "name" },
  },
  "inputs objects": {
    ...{ about: "List the objects of a build", method: "GET", path: "{build}/objects", args: { build: anyBuild } },
    ...{ columns: ["source", "name", "placed", "type", "sha256"], names: "name" },
  },
  tag: {
    ...{ about: "Add tags to a build", method: "POST", path: "{build}/tags", columns: ["name"], names: "name" },
    ...{
      args: { build, tags: many("Names of the tags") },
      bodyOf: async ({ tags }: Readonly<Record<string, unknown>>) =>
        (await import("../added-tags.js")).addedTags(tags as readonly string[]),
      emptyNote: "The build has these tags already",
    },
  },
  untag: {
    ...{ about: "Remove a tag from a build", method: "DELETE", path: "{build}/tags/{tag}" },
    args: { build, tag: one("Name of the tag") },
  },
  pin: {
    about: "Keep the artifacts of a build",
    method: "PATCH",
    path: "{build}/pin",
    args: { build },
    names: "build",
  },
  unpin: {
    ...{ about: "Let the artifacts of a build expire", method: "PATCH", path: "{build}/unpin", args: { build } },
    names: "build",
  },
  approve: {
    ...{
      about: "Let a build of a fork run",
      method: "PATCH",
      path: "{build}/approve",
      args: { build },
      names: "build",
    },
  },
  "caches list": {
    ...{ about: "List files that are kept between builds", method: "GET", path: "/caches", names: "id" },
    columns: ["id", "name", "key", "driver", "size", "namespace", "used_at"],
  },
  "caches delete": {
    ...{ about: "Delete a cache entry", method: "DELETE", path: "/caches/{id}", args: { id: one("Id") } },
  },
} satisfies Operations;
