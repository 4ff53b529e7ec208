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
  schema.anyOf && schema.anyOf.length === 2 && (schema.anyOf[1].enum || schema.anyOf[1].$comment)
    ? filled(schema.anyOf[0])
    : schema;

/**
 * @param {Schema} schema
 * @returns {string}
 */
function typeOf(schema) {
  const { type, items, enum: words, anyOf } = filled(schema);
  if (words) return [...new Set(words.map(String))].map((word) => `\`${word}\``).join(" or ");
  if (type === "array") {
    if (filled(items).anyOf?.some((/** @type {Schema} */ one) => one.type === "object"))
      return "list of strings or mappings";
    return filled(items).type === "object" ? "list of mappings" : "list of strings";
  }
  if (anyOf) {
    const types = [...new Set(anyOf.map(typeOf))];
    return types.filter((one) => !types.includes("string") || !one.startsWith("`")).join(" or ");
  }
  if (type?.includes("integer")) return "number";
  return Array.isArray(type) || type === "string" ? "string" : "mapping";
}

/**
 * @param {Schema} schema
 */
function table({ properties, required = [] }) {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const about = required.includes(name) ? `${schema.description}. Required` : schema.description;
    return `| \`${name}\` | ${filled(schema).const ? "string" : typeOf(schema)} | ${about} | \`${inline(schema.examples[0])}\` |`;
  });
  return ["| Key | Value | Meaning | Example |", "|---|---|---|---|", ...rows].join("\n");
}

const schema = /** @type {Schema} */ (manifestSchema(""));
const { cache, concurrency, driver, jobs, services, sources, when } = schema.properties;
const drivers = driver.anyOf.flatMap((/** @type {Schema} */ one) => {
  const { const: type } = filled(one.properties.type);
  return type ? [`### ${type}\n\n${table(one)}`] : [];
});

const page = `# Manifest

A manifest says in YAML what a build runs. \`npm run manifest\` generates this page from the table of keys with which the service parses
manifests. The [examples](../examples/README.md) show what manifests can do. [Coming from another service](migrate.md) translates the words
of GitHub Actions, GitLab CI and others.

- Manifests are strict: an unknown key, stage or value is rejected, with its line and the word that you probably meant. So is the name of an
  image that no engine can have, such as \`Busybox:1\`.
  \`POST /manifests/check\` says what is wrong with a manifest, and which jobs it has, without submitting a build.
- Editors can complete manifests with the JSON Schema at \`GET /manifest.schema.json\`, which needs no token.
- Every key may be empty: \`env:\` means the same as no \`env\`. Numbers and booleans are read as text: \`1.20\` stays \`1.20\`.
- YAML gives a meaning to texts that begin with \`!\`, \`*\`, \`&\`, \`@\`, \`%\`, \`[\`, \`{\` or a quote, or that contain a colon and a space: quote
  them, as in \`- '! grep -r DEBUG src'\`.
- Without \`stages\`, the stages are those of the jobs in order of appearance, and a job without \`stage\` belongs to the stage \`build\`.
- The jobs of a \`parallel\` stage share the workspace. With docker each has its own container, with the limits of a job. At most 8 run at
  the same time, and the next stage begins when all have ended. If one fails, the others run to their end.
- A job with \`when: {status: failed}\` runs after a failure or a timeout, but not after a kill. It may run until 5 minutes after the
  build's time limit. For a parallel stage, that is decided when the stage begins.
- A build without jobs prepares its environment and says that it ran nothing.

## Keys

${table(schema)}

## Keys of a driver

${drivers.join("\n\n")}

## Keys of a source

The environment's own git clones a source. If there is no git, the runner provides the commit's files without the history. That works only
over HTTP and without \`submodules\`. Git LFS works if git is set up for it (\`git lfs install --system\`). A commit that was pushed to a branch
is checked out on that branch.

In a build of a repository's hook, the repository is the first source, at the commit of the push or request, unless the manifest lists it,
under any of its addresses. If it is listed without \`ref\`, the same commit is checked out.

${table(filled(sources).items.anyOf[1])}

## Keys of a service

A service starts before the first job and ends with the build. Jobs reach it under its name. It has the limits and the few rights of a job's
container. The last 2 MiB of its output are kept, as the output of the job \`service.NAME\`. If a service does not become ready, the build
fails. Only the driver \`docker\` supports services.

${table(filled(filled(services).items))}

## Keys of a cache

Before its first job, a build restores the entry with the cache's name and the hash of the key files, or else the newest entry with that
name. A build that passes stores an entry, unless that entry exists. The output shows the entry that was found, its size and the time it
took. A cache failure never fails a build. Caches belong to the build's namespace tree, or to its user, and to the driver (with docker,
also to the workspace). Builds of forks only read them. With docker, \`~/\` is \`/root\`; cached paths below it are on
volumes that all jobs share, so jobs find folders there. If the image has a file or a symbolic link at such a path, that cache is not used,
and the output says so.
Paths are relative to the folder where jobs begin, which contains the repository as a folder: \`app/package-lock.json\`, not
\`package-lock.json\`. If no file matches the key, the output says so.
A cache neither replaces nor stores the build's objects and SSH keys, even if they are below a cached path.

${table(filled(filled(cache).items))}

## Keys of a job

${table(filled(filled(jobs).items))}

## What a build knows about itself

Jobs get these variables. Your own variables with the same names replace them. Variables that do not apply are not set. Strangers may have
written the message, the author and the names of branches: quote them (\`"$CI_COMMIT_MESSAGE"\`).

| Variable | Value |
|---|---|
| \`CI\` | \`true\` |
| \`CI_BUILD\`, \`CI_BUILD_ID\`, \`CI_BUILD_URL\` | The number of the build, its id, and its address |
| \`CI_USER\`, \`CI_NAMESPACE\` | Who submitted it, and the path of its namespace |
| \`CI_EVENT\` | \`manual\`, \`push\`, \`pull\` or \`schedule\` |
| \`CI_ATTEMPT\` | Number of the attempt to run the build, from 1 |
| \`CI_JOB\`, \`CI_STAGE\` | The names of the job and its stage |
| \`CI_WORKSPACE\` | The folder where jobs begin |

Builds of a repository's hooks also have:

| Variable | Value |
|---|---|
| \`CI_REPOSITORY\`, \`CI_REPOSITORY_URL\` | The repository as \`owner/name\`, and its address |
| \`CI_COMMIT\`, \`CI_COMMIT_BEFORE\` | The commit, and the previous one |
| \`CI_COMMIT_MESSAGE\`, \`CI_COMMIT_AUTHOR\`, \`CI_COMMIT_AUTHOR_EMAIL\` | The commit's message, up to 4,096 characters, and its author |
| \`CI_REF\` | \`refs/heads/main\` or \`refs/tags/v1\`; for a request, the name of its branch |
| \`CI_BRANCH\`, \`CI_TAG\` | The branch or the tag |
| \`CI_PULL_REQUEST\`, \`CI_TARGET_BRANCH\` | The number of the request, and the branch that it is for |
| \`CI_DEFAULT_BRANCH\` | The repository's default branch |

## When a build starts again

If its runner dies, stops or has not reported for 15 s (\`LEASE\`), a build starts again from its first job, on any runner, at most twice
(\`LEASE_RETURNS\`). Its output says so, it gets the tag \`orphaned\`, and \`CI_ATTEMPT\` counts the attempts. A runner that loses its
connection ends its jobs itself. A runner that hangs cannot: its job continues beside the new attempt until the runner continues, also in a
\`concurrency\` group. So a job whose work must not be done twice, such as a deployment, should check whether an earlier attempt has done it.

## Keys of \`when\`

The manifest and each job can have a \`when\`. All given keys have to match. Each is one glob or a list of globs. Globs that begin with
\`!\` exclude: \`["!v0.*"]\` matches everything else. \`*\` and \`?\` match characters except \`/\`; \`**\` as a whole segment matches any number
of folders. A job that does not match is not part of the build. If the manifest does not match, a push or request triggers no build. The
branch of a request (pull request or merge request) is the one that it wants to change. Where there is no branch or no tag, nothing matches:
not even \`tag: "!v*"\` lets a push to a branch through.

${table(filled(when))}

## Keys of \`concurrency\`

While a build of a group runs, others wait in the queue with the reason \`limit of group\`. The group belongs to the build's namespace, or
to its user. Builds of forks have groups of their own, one for each pull or merge request, so that they neither kill nor hold up others. They
kill nothing before they are approved. The builds of one matrix do not kill each other.

${table(filled(concurrency))}

## Keys of a report

\`tests\` in the build's record has the numbers of tests, and \`GET …/tests\` lists the cases. Reports do not change the status of a job.

${table(filled(filled(filled(filled(jobs).items).properties.reports).items))}
`;

const file = join(import.meta.dirname, "manifest.md");
if (!process.argv.includes("--check")) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, "utf8") !== page) {
  console.error("docs/manifest.md is out of date. Run: npm run manifest");
  process.exitCode = 1;
}
