import { manifestSchema } from "@ci/manifest/schema";
import { completionAt, type Schema } from "./completion.js";

const schema = manifestSchema("http://ci.test/manifest.schema.json") as Schema;

/** Completes a text at its bar. */
function complete(marked: string) {
  const position = marked.indexOf("|");
  const found = completionAt(schema, marked.replace("|", ""), position);
  return found?.suggestions.map(({ text }) => text) ?? [];
}

test.each([
  ["at the root", "dri|", ["driver:"]],
  ["after other keys", "stages:\n- test\nna|", ["namespace: "]],
  ["in a mapping", "driver:\n  ty|", ["type: "]],
  ["in the first line of an item", "jobs:\n- st|", ["stage: "]],
  ["in a further line of an item", "jobs:\n- stage: test\n  comm|", ["commands:"]],
  ["in an item below an indented list", "jobs:\n  - stage: test\n    comm|", ["commands:"]],
  ["after a list inside an item", "jobs:\n- stage: test\n  commands:\n  - echo a\n  artif|", ["artifacts:"]],
  ["after a nested mapping", "driver:\n  type: os\nsta|", ["stages:"]],
  ["below a line with a line separator", "driver: \u2028\n  ty|", ["type: "]],
  ["below a long line", `jobs:\n- name: ${"a".repeat(1_000)}\n  st|`, ["stage: "]],
  ["between blank lines and comments", "jobs:\n\n# first\n- stage: test\n\n  # commands\n  comm|", ["commands:"]],
])("suggests keys %s", (_where, text, expected) => {
  expect(complete(text)).toEqual(expected);
});

test.each([
  ["of several forms of a mapping", "driver:\n  type: |", ["docker", "qemu", "os"]],
  ["that begin with the word", "driver:\n  type: q|", ["qemu"]],
  ["that can also be a list or a glob", "when:\n  event: pu|", ["push", "pull"]],
  ["that are true or false", "sources:\n- submodules: |", ["true", "false"]],
  ["beside none", "driver:\n  pull: al|", ["always"]],
])("suggests values %s", (_which, text, expected) => {
  expect(complete(text)).toEqual(expected);
});

test.each([
  ["in the middle of a word", "dri|ver"],
  ["for a complete key", "driver:|"],
  ["in free text", "jobs:\n- stage: test\n  commands:\n  - echo dri|"],
  ["for an unknown parent", "unknown:\n  ty|"],
  ["after 500 characters of a line", `driver:\n  type:${" ".repeat(500)}q|`],
  ["after 64 KiB", `${"\n".repeat(64 * 1024)}dri|`],
  ["for keys of objects' prototypes", "constructor:\n  na|"],
])("suggests nothing %s", (_where, text) => {
  expect(complete(text)).toEqual([]);
});

test("replaces the word before the position, and says what a key is for", () => {
  const found = completionAt(schema, "a: 1\ndri", 8);
  expect(found).toMatchObject({
    from: 5,
    to: 8,
    suggestions: [{ text: "driver:", about: expect.stringContaining("docker") }],
  });
});
