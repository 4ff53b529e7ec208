import { fromForm, moment, number, readFields, scalarsByName, textsByName } from "./shape.js";

test.each([
  ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"],
  ["2026-01-01t00:00:00z", "2026-01-01T00:00:00.000Z"],
  ["2026-01-01t00:00:00.5+01:00", "2025-12-31T23:00:00.500Z"],
  ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"],
])("the timestamp %s is read", (text, iso) => expect(moment.parse(text)?.toISOString()).toBe(iso));

test.each([
  "2026-01-01",
  "2026-01-01 00:00:00z",
  "2026-02-30t00:00:00z",
  "2026-01-01t00:00:00",
  "9999-12-31T23:59:59-00:01",
  "0000-01-01T00:00:00+00:01",
  5,
  {},
])("%p is no timestamp", (value) =>
  expect(moment.safeParse(value).error?.issues).toMatchObject([{ message: "must be an RFC3339 timestamp" }]),
);

test.each([
  ['{"__proto__": "a", "B": "c"}', { values: {}, complaints: { variables: ["Variables key __proto__ is reserved"] } }],
  ['{"constructor": "a", "B": "c"}', { values: { variables: { constructor: "a", B: "c" } }, complaints: {} }],
])("no entry of %s is dropped without a complaint", (json, reading) =>
  expect(
    readFields({ variables: textsByName }, { variables: JSON.parse(json) }, { comment: 1, scope: 1, text: 1 }),
  ).toEqual(reading),
);

test("of an object with thousands of texts only the beginning is read", () => {
  const variables = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`K${n}`, "v"]));
  const { values } = readFields({ variables: textsByName }, { variables }, { comment: 1, scope: 1, text: 1 });
  expect(Object.keys(values.variables as object)).toHaveLength(1_001);
});

const readFilter = (filter: object) =>
  readFields({ filter: scalarsByName }, { filter }, { comment: 1, scope: 1, text: 1 });

test("only the beginning of an object with thousands of lists and values is read", () => {
  const read = (filter: object) => readFilter(filter).values.filter as object;
  const lists = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`P${n}`, Array(500).fill(n)]));
  const lengths = Object.values(read(lists)).map(({ length }) => length);
  expect(lengths).toEqual([500, 500, ...Array(498).fill(1)]);
  expect(Object.values(read({ few: [1], many: Array(9_000).fill("a") })).map(({ length }) => length)).toEqual([
    1, 1_000,
  ]);
});

test("only the beginning of the long name of a list is read", () => {
  expect(readFilter({ ["x".repeat(70_001)]: ["a"] })).toEqual({
    values: { filter: { ["x".repeat(70_000)]: ["a"] } },
    complaints: {},
  });
});

test.each([[[Number.POSITIVE_INFINITY]], [[Number.NaN]], [[{}]], "a", null])(
  "a filter's path with %p is refused",
  (list) =>
    expect(scalarsByName.safeParse({ status: list }).error?.issues).toMatchObject([
      { message: "must be an object of lists of strings, numbers, true, false and null" },
    ]),
);

test("a form's text becomes a number where the shape has one, and stays text if it is none", () => {
  const numbers = ["7", "-1", "2.5", "1e3", "0x10", "", " 7", "9".repeat(400)];
  expect(numbers.map((per_second) => fromForm({ per_second: number }, { per_second }).per_second)).toEqual([
    ...[7, -1, 2.5, "1e3", "0x10", "", " 7", "9".repeat(400)],
  ]);
});

test("an empty field of a form is an empty object where the shape has one, and other text stays as it is", () => {
  const shape = { filter: scalarsByName.describe("x"), headers: textsByName };
  expect(fromForm(shape, { filter: "", headers: "" })).toEqual({ filter: {}, headers: {} });
  expect(fromForm(shape, { filter: "{}", headers: "a" })).toEqual({ filter: "{}", headers: "a" });
});
