// Writes docs/manifest.md from the table of keys by which manifests are read: `npm run manifest`, after a build.
// With `--check`, it only reports whether the page is up to date.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { stringify } from "yaml";

const require = createRequire(import.meta.url);
const { manifestSchema } = require("../libs/manifest/dist/schema.js");

/** @typedef {Record<string, any>} Schema */

/**
 * Returns an example as YAML on one line.
 * @param {unknown} example
 */
const inline = (example) =>
  stringify(example, { collectionStyle: "flow", flowCollectionPadding: false, lineWidth: 0 }).trim();

/**
 * Returns the schema of a value that is not empty.
 * @param {Schema} schema
 * @returns {Schema}
 */
const filled = (schema) =>
  schema.anyOf && schema.anyOf.length === 2 && schema.anyOf[1].enum ? filled(schema.anyOf[0]) : schema;

/**
 * @param {Schema} schema
 * @returns {string}
 */
function typeOf(schema) {
  const { type, items, enum: words, anyOf } = filled(schema);
  if (words) return words.map((/** @type {string} */ word) => `\`${word}\``).join(" or ");
  if (type === "array") {
    if (items.anyOf?.length === 3) return "list of strings or mappings";
    return filled(items).type === "object" ? "list of mappings" : "list of strings";
  }
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(" or ");
  if (type === "integer") return "number";
  return Array.isArray(type) || type === "string" ? "string" : "mapping";
}

/**
 * @param {Schema} schema
 */
function table({ properties, required = [] }) {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const about = required.includes(name) ? `${schema.description}. Required` : schema.description;
    const example = schema.const ? schema.const : inline(schema.examples[0]);
    return `| \`${name}\` | ${schema.const ? "string" : typeOf(schema)} | ${about} | \`${example}\` |`;
  });
  return ["| Key | Value | Meaning | Example |", "|---|---|---|---|", ...rows].join("\n");
}

const schema = /** @type {Schema} */ (manifestSchema(""));
const { cache, concurrency, driver, jobs, services, sources, when } = schema.properties;
const drivers = driver.anyOf.map((/** @type {Schema} */ one) => {
  const { const: type } = one.properties.type;
  return `### ${type}\n\n${table(one)}`;
});

const page = `# Manifest

What a build runs, in YAML. \`npm run manifest\` writes this page from the table of keys by which the service reads manifests. The
[examples](../examples/README.md) show what manifests can do.

- A manifest is strict: an unknown key, stage or value is refused, with its line and the word that you probably meant.
  \`POST /manifests/check\` says what is wrong with a manifest, and which jobs it has, without making a build.
- Editors complete manifests with the JSON Schema at \`GET /manifest.schema.json\`, which needs no token.
- Every key may be empty: \`env:\` means the same as no \`env\`. Numbers and booleans count as they are written: \`1.20\` stays \`1.20\`.
- Without \`stages\`, the stages are those of the jobs in order of appearance, and a job without \`stage\` belongs to the stage \`build\`.
- The jobs of a \`parallel\` stage share the workspace. In docker each has its own container, with the limits of a job. At most 8 run at
  the same time, and the next stage begins when all have ended. If one fails, the others run to their end.
- A job with \`when: {status: failed}\` runs after a failure or a timeout, but not after a kill, and at most until 5 minutes after the build's
  time. Whether a job of a parallel stage runs is decided when the stage begins.
- A manifest without jobs makes a build that prepares its environment and says that it ran nothing.

## Keys

${table(schema)}

## Keys of a driver

${drivers.join("\n\n")}

## Keys of a source

The environment's own git clones a source. An environment without git gets the files of the commit from the runner, without the history: that works over
HTTP and without \`submodules\`. Git LFS works where git is set up for it (\`git lfs install --system\`). A commit that was pushed to a branch is
checked out on that branch.

${table(filled(sources).items.anyOf[1])}

## Keys of a service

A service starts before the first job and ends with the build. Jobs reach it under its name. It has the limits and the few rights of a job's
container, and of its output the last 2 MiB are kept, as the output of the job \`service.NAME\`. A service that does not become ready fails the build.
Only the driver \`docker\` has services.

${table(filled(filled(services).items))}

## Keys of a cache

A build places the entry with the name and the hash of the key files before its first job, or else the newest entry with that
name. A build that passes without the same entry stores one. The output says what was found, its size and its time; no failure of a
cache fails a build. Caches belong to the tree of namespaces of the build, or to its user, and to the driver (with docker, also to the
workspace). Builds of forks only read them. With docker, what lies below \`~/\` is in \`/root\`, on a volume that all jobs share.

${table(filled(filled(cache).items))}

## Keys of a job

${table(filled(filled(jobs).items))}

## What a build knows about itself

Jobs get these variables. Any variable of yours with the same name replaces them. A variable that does not apply is not set. Strangers may have
written the message, the author and the names of branches: quote them (\`"$CI_COMMIT_MESSAGE"\`).

| Variable | Value |
|---|---|
| \`CI\` | \`true\` |
| \`CI_BUILD\`, \`CI_BUILD_ID\`, \`CI_BUILD_URL\` | The number of the build, its id, and its address |
| \`CI_USER\`, \`CI_NAMESPACE\` | Who submitted it, and the path of its namespace |
| \`CI_EVENT\` | \`manual\`, \`push\`, \`pull\` or \`schedule\` |
| \`CI_ATTEMPT\` | From 1: how often runners have begun the build |
| \`CI_JOB\`, \`CI_STAGE\` | The names of the job and its stage |
| \`CI_WORKSPACE\` | The folder where jobs begin |

Builds of a repository's hooks also have:

| Variable | Value |
|---|---|
| \`CI_REPOSITORY\`, \`CI_REPOSITORY_URL\` | The repository as \`owner/name\`, and its address |
| \`CI_COMMIT\`, \`CI_COMMIT_BEFORE\` | The commit, and the one that was there before |
| \`CI_COMMIT_MESSAGE\`, \`CI_COMMIT_AUTHOR\`, \`CI_COMMIT_AUTHOR_EMAIL\` | The commit's message, up to 4,096 characters, and its author |
| \`CI_REF\` | \`refs/heads/main\` or \`refs/tags/v1\`; of a request the name of its branch |
| \`CI_BRANCH\`, \`CI_TAG\` | The branch or the tag |
| \`CI_PULL_REQUEST\`, \`CI_TARGET_BRANCH\` | The number of the request, and the branch that it is for |
| \`CI_DEFAULT_BRANCH\` | The repository's own branch |

## Keys of \`when\`

The manifest and each job can have a \`when\`. All keys that are given have to hold; each is one glob or a list of globs. Globs that begin
with \`!\` exclude: \`["!v0.*"]\` is everything else. \`*\` and \`?\` stand for characters except \`/\`; \`**\` as a whole segment stands for any
number of folders. A job that does not match is not part of the build, and a manifest that does not match makes no build for a push or
request. Requests (pull requests and merge requests) have the branch that they want to change.

${table(filled(when))}

## Keys of \`concurrency\`

Builds of a group wait in the queue with the reason \`limit of group\` while another build of the group runs. The group belongs to the
namespace of the build, or to its user. A build of a fork kills nothing before it is approved, and the builds of one matrix do not kill
each other.

${table(filled(concurrency))}

## Keys of a report

The record of the build has the number of tests in \`tests\`, and \`GET …/tests\` lists the cases. No report changes the status of a job.

${table(filled(filled(filled(filled(jobs).items).properties.reports).items))}
`;

const file = join(import.meta.dirname, "manifest.md");
if (!process.argv.includes("--check")) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, "utf8") !== page) {
  console.error("docs/manifest.md is out of date. Run: npm run manifest");
  process.exitCode = 1;
}
