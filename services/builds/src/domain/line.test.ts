import { lastPlace, placeOf, type Standing, untilLongMs } from "./line.js";

/** Returns the order in which a line serves builds, turn by turn, as `<user>.<build of the user>`. */
function serve(line: readonly Standing[]): string[] {
  const left = line.map((user) => ({ ...user, next: 1 }));
  const order: string[] = [];
  while (left.length > 0) {
    const first = left.shift()!;
    if (first.next > first.waiting) continue;
    order.push(`${first.userId}.${first.next}`);
    left.push({ ...first, next: first.next + 1 });
  }
  return order;
}

const standing = (...waiting: number[]): Standing[] => waiting.map((n, index) => ({ userId: index + 1, waiting: n }));

test.each([[[3]], [[1, 1, 1]], [[5, 1, 3]], [[1, 5, 3]], [[0, 4, 2]], [[2, 2, 7, 1]]])(
  "each build of %j has the place of its turn",
  (waiting) => {
    const line = standing(...waiting);
    const order = serve(line);
    const places = order.map((name) => {
      const [user, build] = name.split(".").map(Number);
      return placeOf(line, user!, build! - 1);
    });
    expect(places).toEqual(order.map((_, index) => index + 1));
  },
);

test("a user who is not in the line gets the place at its end", () => {
  expect(placeOf([], 9, 0)).toBe(1);
  expect(placeOf(standing(5, 1), 9, 0)).toBe(3);
  expect(placeOf(standing(5, 1), 9, 1)).toBe(5);
});

test("places beyond the last one are reported as the last one", () => {
  expect(placeOf(standing(10_000, 1), 2, 0)).toBe(2);
  expect(placeOf(standing(10_000, 1), 1, 9_000)).toBe(lastPlace);
});

test.each([
  [0, 500],
  [499, 1],
  [500, 0],
  [90_000, 0],
])("after %d ms a build has to wait %d ms more until it waits long", (ms, left) => {
  expect(untilLongMs(new Date(0), new Date(ms))).toBe(left);
});
