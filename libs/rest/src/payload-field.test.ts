import { examplePayload } from "./event-examples.js";
import { eventNames } from "./event-names.js";
import { payloadField } from "./payload-field.js";

/** Returns the paths of a record with their values, also of the records in it. */
const pathsOf = (record: object, prefix = ""): [string, unknown][] =>
  Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
    const path = `${prefix}${name}`;
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
    return [[path, value], ...(isRecord ? pathsOf(value, `${path}.`) : [])];
  });

test.each(eventNames)("every path in the example of %s accepts its value, and no symbol", (kind) => {
  const paths = pathsOf(examplePayload(kind));
  expect(paths.length).toBeGreaterThan(10);
  const wrong = paths.filter(([path, value]) => {
    const field = payloadField(kind, path);
    return !field?.(value) || field(Symbol("other"));
  });
  expect(wrong).toEqual([]);
});

test.each([
  ["build.finished", "trigger.data.ref"],
  ["build.finished", "trigger.data.x"],
  ["build.finished", "trigger.data.the ref: é"],
  ["build.submitted", "group.axes.NODE"],
  ["namespaces", "namespace.build.trigger.type"],
] as const)("%s has %s, although its example does not", (kind, path) =>
  expect(payloadField(kind, path)?.("push")).toBe(true),
);

test.each([
  "",
  ".",
  "status.",
  "build.status",
  "status.length",
  "tags.0",
  "tags.length",
  "toString",
  "constructor.name",
  "trigger.data.",
  "trigger.data.__proto__",
  "trigger.data.a=b",
  "trigger.data.a=",
  "trigger.data.a ",
  "trigger.data.a\u00a0",
  "trigger.data. ",
  "trigger.data.a\nb",
  " trigger.data.a",
])("a finished build has no path %j", (path) => expect(payloadField("build.finished", path)).toBeUndefined());
