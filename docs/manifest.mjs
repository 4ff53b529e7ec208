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
  schema.anyOf && schema.anyOf.length === 2 && schema.anyOf[1].enum ? schema.anyOf[0] : schema;

/**
 * @param {Schema} schema
 * @returns {string}
 */
function typeOf(schema) {
  const { type, items, enum: words } = filled(schema);
  if (words) return words.map((/** @type {string} */ word) => `\`${word}\``).join(" or ");
  if (type === "array") return filled(items).type === "object" ? "list of mappings" : "list of strings";
  return Array.isArray(type) ? "string" : "mapping";
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
const { driver, jobs, cache } = schema.properties;
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
- A manifest without jobs makes a build that prepares its environment and says that it ran nothing.

## Keys

${table(schema)}

## Keys of a driver

${drivers.join("\n\n")}

## Keys of a cache

A build places the entry with the name and the hash of the key files before its first job, or else the newest entry with that
name. A build that passes without the same entry stores one. The output says what was found, its size and its time; no failure of a
cache fails a build. Caches belong to the tree of namespaces of the build, or to its user, and to the driver (with docker, also to the
workspace). Builds of forks only read them. With docker, what lies below \`~/\` is in \`/root\`, on a volume that all jobs share.

${table(filled(filled(cache).items))}

## Keys of a job

${table(filled(filled(jobs).items))}

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
