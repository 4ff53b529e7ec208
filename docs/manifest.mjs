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
  const { type, items, enum: words, anyOf } = filled(schema);
  if (words) return words.map((/** @type {string} */ word) => `\`${word}\``).join(" or ");
  if (type === "array") return filled(items).type === "object" ? "list of mappings" : "list of strings";
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
const { driver, jobs } = schema.properties;
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

## Keys of a job

${table(filled(filled(jobs).items))}
`;

const file = join(import.meta.dirname, "manifest.md");
if (!process.argv.includes("--check")) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, "utf8") !== page) {
  console.error("docs/manifest.md is out of date. Run: npm run manifest");
  process.exitCode = 1;
}
