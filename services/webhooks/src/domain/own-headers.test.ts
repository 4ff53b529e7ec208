import { hiding, isReserved, ownHeaderErrors } from "./own-headers.js";

const errorsOf = (headers: Readonly<Record<string, string>>, stored: readonly string[] = []) =>
  ownHeaderErrors(
    Object.entries(headers).map(([name, value]) => ({ name, value })),
    "X-Service-CI",
    stored.map((name) => ({ name, value: "encrypted" })),
  );
const printable = "must be printable ASCII characters, without spaces at the ends";
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`X-${nth}`, "v"]));

test.each([
  {},
  { Authorization: "Bearer abc", "X-Tenant": "7", Cookie: "a=b; c=d" },
  { "!#$%&'*+-.^_`|~0aZ": "~ !" },
  { ["n".repeat(100)]: "v".repeat(1_024) },
  { "X-Service-CIX": "v", Contents: "v", Acceptable: "v" },
  many(20),
])("accepts %j", (headers) => expect(errorsOf(headers)).toEqual([]));

test.each([
  [{ "": "v" }, "Headers invalid name "],
  [{ "A B": "v" }, "Headers invalid name A B"],
  [{ "A:": "v" }, "Headers invalid name A:"],
  [{ "A\r\nB": "v" }, "Headers invalid name A\r\nB"],
  [{ Überschrift: "v" }, "Headers invalid name Überschrift"],
  [{ ["n".repeat(101)]: "v" }, "Headers name cannot be longer than 100 characters in length"],
  [{ A: "" }, `Headers value of A ${printable}`],
  [{ A: " v" }, `Headers value of A ${printable}`],
  [{ A: "v " }, `Headers value of A ${printable}`],
  [{ A: "a\r\nB: c" }, `Headers value of A ${printable}`],
  [{ A: "a\tb" }, `Headers value of A ${printable}`],
  [{ A: "a\0" }, `Headers value of A ${printable}`],
  [{ A: "v\n" }, `Headers value of A ${printable}`],
  [{ A: "ü" }, `Headers value of A ${printable}`],
  [{ A: "v".repeat(1_025) }, "Headers value of A cannot be longer than 1024 characters in length"],
  [{ A: "xxxxxx" }, "Headers value of A is xxxxxx, but none is stored"],
  [{ A: "v", a: "w" }, "Headers name a is given twice"],
  [many(21), "Headers cannot have more than 20 entries"],
])("rejects %j", (headers, message) => expect(errorsOf(headers)).toEqual([message]));

test("a masked value keeps the stored one, whatever the case of its name", () =>
  expect(errorsOf({ authorization: "xxxxxx", A: "xxxxxx" }, ["Authorization"])).toEqual([
    "Headers value of A is xxxxxx, but none is stored",
  ]));

test.each([
  ...["Host", "content-length", "Content-Type", "Content-Encoding", "Transfer-Encoding", "Connection", "Keep-Alive"],
  ...["Accept", "Accept-Encoding", "Expect", "Upgrade", "TE", "Trailer", "Proxy-Authorization", "HTTP2-Settings"],
  ...["User-Agent", "webhook-id", "Webhook-Signature", "traceparent", "tracestate", "baggage", "Via"],
  ...["X-Service-CI", "x-service-ci-event", "X-Service-CI-Signature", "X-Service-CI-Later"],
])("%s is reserved", (name) => expect(errorsOf({ [name]: "v" })).toEqual([`Headers name ${name} is reserved`]));

test("the names with the configured prefix are reserved", () =>
  expect(["X-Ours-Event", "x-ours", "X-Oursx"].map((name) => isReserved(name, "X-Ours"))).toEqual([true, true, false]));

test.each([
  ["Bearer abcdef", '{"authorization":"Bearer abcdef"}', '{"authorization":"xxxxxx"}'],
  ["Bearer abcdef", "the token is abcdef", "the token is xxxxxx"],
  ['a"b\\cdef', JSON.stringify({ key: 'a"b\\cdef' }), '{"key":"xxxxxx"}'],
  ["Bearer s3cr3t/ab+cd", "a=s3cr3t%2Fab%2Bcd", "a=xxxxxx"],
  ["Bearer s3cr3t/abcd", String.raw`{"a":"s3cr3t\/abcd"}`, '{"a":"xxxxxx"}'],
  ["short", "in short", "in short"],
])("%j is hidden in %j", (value, text, hidden) => expect(hiding([value])(text)).toBe(hidden));

test("a longer value is hidden before its part", () =>
  expect(hiding(["abcdef", "abcdefgh"])("abcdefgh abcdef")).toBe("xxxxxx xxxxxx"));

test.each([
  ["got Bearer s3cr3t/abcd", "got "],
  ["got s3cr3t/ab", "got "],
  ["got B", "got "],
  ["got Bearer s3cr3t/abcde", "got xxxxxx"],
  ["got nothing", "got nothing"],
])("of %j, which was cut off, %j is shown", (text, shown) =>
  expect(hiding(["Bearer s3cr3t/abcde"])(text, true)).toBe(shown),
);
