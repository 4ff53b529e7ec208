import { readKey } from "./idempotency-key.js";

const uuid = "8e03978e-40d5-43dd-bc93-6894a57f9324";

test.each([
  [uuid, uuid],
  [`"${uuid}"`, uuid],
  ["a b,c;d=1", "a b,c;d=1"],
  ['it"s', 'it"s'],
  [String.raw`"a \"b\" \\"`, String.raw`a "b" \ `.trim()],
  ["x".repeat(255), "x".repeat(255)],
  [`"${"x".repeat(255)}"`, "x".repeat(255)],
])("the key %j is %j", (value, key) => expect(readKey(value)).toBe(key));

test.each([
  "",
  '""',
  '"a',
  '"a"b"',
  '"a";p=1',
  String.raw`"a\b"`,
  "é",
  "a\tb",
  "x".repeat(256),
  `"${"x".repeat(256)}"`,
])("the key %j is malformed", (value) => expect(readKey(value)).toBeUndefined());
