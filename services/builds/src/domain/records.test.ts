import { sortedByName } from "./records.js";

test("names are sorted by their bytes, then by id, and read once each", () => {
  const names = ["b", "ä", "B", "b", "\u{ffff}", "\u{1f600}"];
  const read: number[] = [];
  const sorted = sortedByName(
    names.map((_, at) => ({ id: 10 - at })),
    ({ id }) => {
      read.push(id);
      return names[10 - id]!;
    },
  );
  expect(sorted.map(({ id }) => id)).toEqual([8, 7, 10, 9, 6, 5]);
  expect(read).toHaveLength(names.length);
});
