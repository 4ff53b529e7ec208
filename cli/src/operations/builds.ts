import { many, one, optional, text } from "../command.js";
import { statuses } from "../statuses.js";
import { del, get, type Operations, patch, post } from "./operation.js";

const build = one("Number, alice/12, URL or last");
const anyBuild = optional("Number, alice/12, URL or last; default: last");

/** Commands for builds that send one request. */
export const builds = {
  jobs: get("{build}/jobs", "List the jobs of a build", {
    args: { build: anyBuild },
    options: { status: text("Only jobs with this status", { choices: statuses }) },
    columns: ["stage", "name", "status", "time", "exit_code", "reason"],
    names: "name",
    hasOutput: true,
  }),
  tests: get("{build}/tests", "List the test cases of a build", {
    args: { build: anyBuild },
    options: {
      status: text("Only cases with this status", { choices: ["passed", "failed", "skipped"] }),
      order: text("Sort by job, or slowest first", { choices: ["jobs", "slowest"] }),
    },
    columns: ["status", "suite", "class_name", "name", "seconds", "message"],
    names: "name",
  }),
  "inputs vars": get("{build}/variables", "List the variables of a build", {
    args: { build: anyBuild },
    columns: ["key", "value", "masked"],
    names: "key",
  }),
  "inputs keys": get("{build}/keys", "List the SSH keys of a build", {
    args: { build: anyBuild },
    columns: ["name", "location", "config"],
    names: "name",
  }),
  "inputs objects": get("{build}/objects", "List the objects of a build", {
    args: { build: anyBuild },
    columns: ["source", "name", "placed", "type", "sha256"],
    names: "name",
  }),
  tag: post("{build}/tags", "Add tags to a build", {
    args: { build, tags: many("Names of the tags") },
    columns: ["name"],
    names: "name",
    bodyOf: async ({ tags }: Readonly<Record<string, unknown>>) =>
      (await import("../added-tags.js")).addedTags(tags as readonly string[]),
    emptyNote: "The build has these tags already",
  }),
  untag: del("{build}/tags/{tag}", "Remove a tag from a build", { args: { build, tag: one("Name of the tag") } }),
  pin: patch("{build}/pin", "Keep the artifacts of a build", { args: { build }, names: "build" }),
  unpin: patch("{build}/unpin", "Let the artifacts of a build expire", { args: { build }, names: "build" }),
  approve: patch("{build}/approve", "Let a build of a fork run", { args: { build }, names: "build" }),
  "caches list": get("/caches", "List files that are kept between builds", {
    columns: ["id", "name", "key", "driver", "size", "namespace", "used_at"],
    names: "id",
  }),
  "caches delete": del("/caches/{id}", "Delete a cache entry", { args: { id: one("Id") } }),
} satisfies Operations;
