// Writes the JSON schema of each kind of event from proto/: `npm run schemas`.
// With `--check`, it only reports whether the schemas are up to date.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messagesOf } from "./messages.mjs";

const here = import.meta.dirname;
const buf = join(here, "../../node_modules/.bin/buf");

/** The name of each kind's body. */
const bodies = {
  "build.submitted": "build",
  "build.started": "build",
  "build.finished": "build",
  "build.tagged": "buildTagged",
  "build.pinned": "build",
  "build.unpinned": "build",
  "invite.sent": "invite",
  "invite.accepted": "invite",
  "invite.rejected": "invite",
  namespaces: "namespace",
  cron: "cron",
  images: "image",
  objects: "object",
  variables: "variable",
  ssh_keys: "key",
};

/** @typedef {Record<string, any>} Schema */

/**
 * Returns the messages that a schema refers to, by name.
 * @param {Schema} schema
 * @param {Map<string, Schema>} messages
 * @param {Record<string, Schema>} found
 */
function definitionsFor(schema, messages, found = {}) {
  for (const [, name] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([\w.]+)"/g)) {
    if (found[name]) continue;
    found[name] = messages.get(name) ?? {};
    definitionsFor(found[name], messages, found);
  }
  return found;
}

/**
 * Returns the schema of one kind: the fields of all events, and this kind's body.
 * @param {string} kind
 * @param {string} body
 * @param {Map<string, Schema>} messages
 */
function schemaOf(kind, body, messages) {
  const { properties } = /** @type {Schema} */ (messages.get("ci.events.v1.Event"));
  const { at, actorId, namespaceId, buildId, seq } = properties;
  const ofBuild = kind.startsWith("build.");
  const own = {
    type: "object",
    properties: {
      id: { type: "string", format: "uuid" },
      kind: { const: kind },
      at,
      actorId,
      namespaceId,
      ...(ofBuild ? { buildId, seq: { ...seq, minimum: 1 } } : {}),
      [body]: properties[body],
    },
    required: ["id", "kind", "at", ...(ofBuild ? ["buildId", "seq"] : []), body],
  };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:service-ci:events:v1:${kind}`,
    title: kind,
    ...own,
    $defs: definitionsFor(own, messages),
  };
}

const image = execFileSync(buf, ["build", "-o", "-#format=json"], {
  cwd: join(here, "../.."),
  maxBuffer: 64 * 1024 ** 2,
});
const messages = messagesOf(JSON.parse(image.toString()));
const stale = [];
for (const [kind, body] of Object.entries(bodies)) {
  const file = join(here, `${kind}.json`);
  const text = `${JSON.stringify(schemaOf(kind, body, messages), undefined, 2)}\n`;
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (read(file) !== text) stale.push(kind);
}
if (stale.length > 0) {
  console.error(`Out of date: ${stale.join(", ")}. Run: npm run schemas`);
  process.exitCode = 1;
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
