import { driver } from "./driver.js";
import { key, mapping } from "./mapping.js";
import { retry } from "./retry.js";
import { duration } from "./scalar.js";
import { list, placed, text } from "./spec.js";
import { when } from "./when.js";

const jobKeys = {
  stage: key(placed(text), "The stage that the job belongs to", "test"),
  name: key(text, "Name of the job; by default the stage and a number", "unit", "title", "id"),
  commands: key(
    list(text),
    "What a shell runs, line by line; the first command that fails ends the job",
    ["npm ci", "npm test"],
    ...["command", "script", "run", "steps", "step", "exec", "before_script"],
  ),
  artifacts: key(
    list(text),
    "Files to keep after the job, as `source [=> name]`; a source may be a glob",
    ["dist/app.tar => app.tar", "reports/**/*.xml"],
    ...["outputs", "files"],
  ),
  timeout: key(
    placed(duration),
    "How long the script may take, all attempts together; at most as long as a build",
    "10min",
    ...["timeout_minutes", "max_time", "time_limit"],
  ),
  retry: key(
    retry,
    "How often the script runs again if it ends with another exit code than 0, or only after given codes",
    { times: 2, codes: [75] },
    ...["retries", "attempts"],
  ),
  when: key(
    when,
    "When the job runs; by default only while no job has failed the build",
    { status: "failed" },
    ...["if", "only", "condition", "rules"],
  ),
};

/** Every key of a manifest: the parser, the JSON Schema and the suggestions are made from this table. */
export const manifestKeys = {
  namespace: key(text, "The namespace that the build belongs to; by default none", "team/app", "project", "group"),
  driver: key(
    driver,
    "Where the jobs run: `docker`, `qemu` (a virtual machine) or `os` (processes on the runner's machine)",
    { type: "docker", image: "node:22-alpine", workspace: "/build" },
    ...["image", "container", "runs-on", "executor", "agent"],
  ),
  env: key(list(text), "Environment variables as `KEY=VALUE`", ["NODE_ENV=test"], "environment", "variables", "vars"),
  objects: key(
    list(text),
    "Objects to place in the environment, as `name [=> path]`",
    ["ca.pem => /etc/ssl/ca.pem"],
    "secrets",
    "files",
  ),
  sources: key(
    list(text),
    "Git repositories to clone, as `url [ref] [=> folder]`",
    ["https://git.example.com/team/app.git main => app"],
    ...["clone", "checkout", "repositories", "git"],
  ),
  stages: key(list(text), "The stages in order; by default those of the jobs, in order of appearance", [
    "build",
    "test",
  ]),
  allow_failures: key(
    list(text),
    "Stages whose failures do not fail the build",
    ["lint"],
    ...["allow_failure", "continue-on-error"],
  ),
  parallel: key(
    list(text),
    "Stages whose jobs run at the same time, in one environment",
    ["test"],
    ...["concurrent", "side_by_side"],
  ),
  jobs: key(
    list(mapping("a job", jobKeys)),
    "What to run. Jobs run one after another, in the order of their stages, except in `parallel` stages",
    [{ stage: "test", name: "unit", commands: ["npm test"] }],
    ...["job", "steps", "tasks", "pipeline"],
  ),
};
