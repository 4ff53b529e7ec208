import { boundedFields, boundedMessage, quoted } from "./complaints.js";
import { Fault, invalid } from "./fault.js";

const bytesOf = (fields: object) => Buffer.byteLength(JSON.stringify(fields));

test.each([
  ["a".repeat(100), "a".repeat(100)],
  ["a".repeat(101), "a".repeat(100)],
  ["😀".repeat(1_000_000), "😀".repeat(100)],
  [`${"a".repeat(99)}😀b`, `${"a".repeat(99)}😀`],
])("quoted repeats 100 characters of %.5s", (text, expected) => expect(quoted(text)).toBe(expected));

test("boundedMessage keeps what fits into a header", () => {
  expect(boundedMessage("short")).toBe("short");
  expect(boundedMessage("x".repeat(1_000_000))).toHaveLength(1_024);
});

test("boundedFields keeps complaints as they are while they fit", () => {
  const fields = { name: ["Name field required"], tags: ["Tags a", "Tags b"], empty: [] };
  expect(boundedFields(fields)).toEqual(fields);
});

test.each([
  ["many", Array.from({ length: 3_000 }, (_, i) => `Events unknown event ${i}`)],
  ["long", Array.from({ length: 40 }, () => "x".repeat(70_000))],
  ["escaped", Array.from({ length: 40 }, () => "\u0001".repeat(70_000))],
])("boundedFields bounds %s complaints in number and bytes, and keeps one about each field", (_, messages) => {
  const kept = boundedFields({ events: messages, name: ["Name field required"] });
  expect(Object.values(kept).flat().length).toBeLessThanOrEqual(50);
  expect(bytesOf(kept)).toBeLessThanOrEqual(8 * 1024 + 200);
  expect(kept.events!.length).toBeGreaterThan(0);
  expect(kept.name).toEqual(["Name field required"]);
});

test("boundedFields bounds the number of fields", () => {
  const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, ["x"]]));
  expect(Object.keys(boundedFields(fields))).toHaveLength(50);
});

test("every Fault is bounded", () => {
  expect(Object.values(invalid({ scope: Array(100).fill("x") }).fields!).flat()).toHaveLength(50);
  expect(new Fault("precondition", "x".repeat(70_000)).message).toHaveLength(1_024);
});
