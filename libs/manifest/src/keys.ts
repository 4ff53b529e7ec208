import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { cacheKeys } from "./caches.js";
import { concurrency } from "./concurrency.js";
import { driver } from "./driver.js";
import { variable } from "./entries.js";
import { type Elsewhere, key, mapping, textOr } from "./mapping.js";
import { matrix } from "./matrix.js";
import { reportKeys } from "./reports.js";
import { retry } from "./retry.js";
import { duration } from "./scalar.js";
import { serviceKeys } from "./services.js";
import { shell } from "./shell.js";
import { sourceKeys } from "./source.js";
import { entry, list, placed, text, textUpTo } from "./spec.js";
import { jobWhen, when } from "./when.js";

const maxName = fixedLimit({
  max: 200,
  about: "characters in the name of a stage or of a job",
  refusal: "Manifest line L, column C: X cannot be longer than N characters",
});

const jobKeys = {
  stage: key(
    placed(textUpTo(maxName)),
    "The stage that the job belongs to",
    "test",
    ...["needs", "depends_on", "dependencies", "requires"],
  ),
  name: key(
    textUpTo(maxName),
    "Name of the job, of at most 200 characters; by default the stage and a number",
    "unit",
    ...["title", "id"],
  ),
  commands: key(
    list(entry),
    "Commands for the shell, one per line; the first command that fails ends the job",
    ["npm ci", "npm test"],
    ...["command", "script", "run", "steps", "step", "exec", "before_script"],
  ),
  artifacts: key(
    list(entry),
    "Files to keep after the job, as `source [=> name]`; a source may be a glob for up to 1,000 files, and all globs of a build match some 5,000. In the name of a glob each `*`, or several in a row, stands for the name of the file; neither that pattern nor what it makes may be longer than 4,096 characters",
    ["dist/app.tar => app.tar", "reports/**/*.xml"],
    ...["outputs", "files", "artifact_paths", "store_artifacts"],
  ),
  timeout: key(
    placed(duration),
    "How long all attempts of the script may take together; at most as long as a build",
    "10min",
    ...["timeout_minutes", "timeout_in_minutes", "max_time", "time_limit"],
  ),
  retry: key(
    retry,
    "How often the script runs again after a failure, or only after the given exit codes; `codes` need `times`",
    { times: 2, codes: [75] },
    ...["retries", "attempts"],
  ),
  env: key(
    list(variable),
    "Environment variables of this job, as `KEY=VALUE`; they replace those of the manifest, and variables that come with the request for the build replace them",
    ["NODE_ENV=production"],
    ...["environment", "variables", "vars"],
  ),
  shell: key(placed(shell), "The shell that runs the commands; by default `/bin/sh`", "bash"),
  when: key(
    jobWhen,
    "When the job is part of a build, and with which status of the build it runs; by default unless a job has failed the build",
    { branch: "main", status: ["passed", "failed"] },
    ...["only", "if", "rules", "on", "condition"],
  ),
  reports: key(
    list(mapping("a report", reportKeys, ["junit"])),
    "Test reports to read after the job",
    [{ junit: "reports/**/*.xml" }],
    ...["report", "tests", "junit"],
  ),
};

const { name: _, ...moved } = jobKeys;

/** Where a key at the top may belong. Manifests of other services have a `name` there, which is not that of a job. */
export const inAJob: Elsewhere = { keys: moved, place: " in a job" };

/** Where a key of a job may belong. A function, because the table of the manifest contains that of jobs. */
function atTheTop(): Elsewhere {
  return { keys: manifestKeys, place: " at the top of the manifest" };
}

/** Every key of a manifest: the parser, the JSON Schema and the suggestions are made from this table. */
export const manifestKeys = {
  namespace: key(
    text,
    "The namespace that the build belongs to; by default none. `@owner` names another user's; one of your own is created if it does not exist",
    "team/app@ann",
    ...["project", "group"],
  ),
  driver: key(
    driver,
    "Where the jobs run: `docker`, `qemu` (a virtual machine) or `os` (processes on the runner's machine)",
    { type: "docker", image: "node:22-alpine", workspace: "/build" },
    ...["image", "container", "runs_on", "executor", "agent", "agents", "docker", "runner", "workspace"],
  ),
  env: key(
    list(variable),
    "Environment variables as `KEY=VALUE`",
    ["NODE_ENV=test"],
    "environment",
    "variables",
    "vars",
  ),
  matrix: key(
    matrix,
    "One build for each combination of these values, at most 50. They are variables of the build. In `driver`, `services` and cache names, an axis in `$` and braces is replaced by its value. `include` adds combinations, `exclude` leaves out those that match",
    { NODE: ["20", "22"], OS: ["alpine", "bookworm"], exclude: [{ NODE: "20", OS: "bookworm" }] },
    "strategy",
  ),
  objects: key(
    list(entry),
    "Objects to place in the environment, as `name [=> path]`",
    ["ca.pem => /etc/ssl/ca.pem"],
    "secrets",
    "files",
  ),
  sources: key(
    list(textOr("a source", sourceKeys, ["url"])),
    "Git repositories to clone, as `url [ref] [=> folder]` or as a mapping",
    [
      "https://git.example.com/team/app.git main => app",
      { url: "https://git.example.com/team/lib.git", dir: "lib", depth: 1 },
    ],
    ...["clone", "checkout", "repositories", "git"],
  ),
  services: key(
    list(mapping("a service", serviceKeys, ["name", "image"])),
    "Containers that run next to the jobs, which reach them under their names; only with the driver `docker`",
    [{ name: "db", image: "postgres:17", env: ["POSTGRES_PASSWORD=test"], ready: "pg_isready -U postgres" }],
    ...["sidecars"],
  ),
  cache: key(
    list(mapping("a cache", cacheKeys, ["name", "paths"])),
    "Files to keep between builds. They are restored after the sources, and stored if the build passes",
    [{ name: "npm", key: ["app/package-lock.json"], paths: ["app/node_modules", "~/.npm"] }],
    "caches",
  ),
  stages: key(
    list(textUpTo(maxName, { ...entry, schema: { ...entry.schema, minLength: 1 } })),
    "The stages in order, with names of at most 200 characters; by default those of the jobs, in order of appearance",
    ["build", "test"],
  ),
  allow_failures: key(
    list(entry),
    "Stages whose failures do not fail the build",
    ["lint"],
    ...["allow_failure", "continue_on_error", "soft_fail"],
  ),
  parallel: key(
    list(entry),
    "Stages whose jobs run at the same time, in one environment",
    ["test"],
    ...["concurrent", "side_by_side"],
  ),
  jobs: key(
    list(mapping("a job", jobKeys, [], atTheTop)),
    "What to run. Jobs run one after another, in the order of their stages, except in `parallel` stages",
    [{ stage: "test", name: "unit", commands: ["npm test"] }],
    ...["job", "steps", "tasks", "pipeline"],
  ),
  concurrency: key(
    concurrency,
    "A group of builds in one namespace, of which only one runs at a time",
    { group: "deploy", cancel: "queued" },
    ...["resource_group", "concurrency_group", "lock", "mutex"],
  ),
  when: key(
    when,
    "When a hook submits a build of the manifest; by default always. Other builds ignore it",
    { event: ["push", "pull"], branch: "main", path: ["src/**", "!**/*.md"] },
    ...["on", "only", "workflow", "rules", "trigger"],
  ),
};
