import { eventually } from "@ci/testkit/eventually";
import { atMostOnceASecond } from "./at-most-once.js";

test("many calls do the work at once, and once more after them", async () => {
  const at: number[] = [];
  const call = atMostOnceASecond(() => at.push(performance.now()));
  for (let nth = 0; nth < 5; nth++) call();
  expect(at).toHaveLength(1);
  await eventually(() => expect(at).toHaveLength(2));
  expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(990);
});
