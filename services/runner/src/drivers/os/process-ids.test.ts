import { spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "@ci/testkit/eventually";
import { idRounds, idsOn, lastIdIn } from "./process-ids.js";

describe("a round of process ids", () => {
  // Two processors give out 75 % of these ids in 24 ms at best.
  const rounds = () => idRounds(32_768, 2);

  test("goes on while ids grow", () => {
    const roundOf = rounds();
    const first = roundOf(100, 0, 1);
    expect(roundOf(100, 10, 11)).toBe(first);
    expect(roundOf(32_000, 20, 23)).toBe(first);
  });

  test("ends with a smaller id", () => {
    const roundOf = rounds();
    const first = roundOf(100, 0, 1);
    expect(roundOf(99, 2, 3)).not.toBe(first);
  });

  test("ends when there was time for all ids", () => {
    const roundOf = rounds();
    const first = roundOf(100, 0, 1);
    expect(roundOf(101, 20, 25)).not.toBe(first);
  });

  test("goes on for seconds with as many ids as large machines have", () => {
    const roundOf = idRounds(4_194_304, 2);
    const first = roundOf(100, 0, 1);
    expect(roundOf(200, 3_000, 3_001)).toBe(first);
    expect(roundOf(300, 6_000, 7_000)).not.toBe(first);
  });

  test("ends each time if the number of ids is not known", () => {
    const roundOf = idRounds(0, 2);
    const first = roundOf(100, 1, 1);
    expect(roundOf(101, 1, 1)).not.toBe(first);
  });
});

test("the last id is known unless many ids are in use", () => {
  expect(lastIdIn("0.08 1.17 1.43 2/118 7705\n", 32_768)).toBe(7705);
  expect(lastIdIn("0.08 1.17 1.43 2/5000 7705\n", 32_768)).toBeUndefined();
  expect(lastIdIn("0.08 1.17 1.43\n", 32_768)).toBeUndefined();
});

test("a look finds a child and younger processes, the next one those younger still, and all if there was time for another round", async () => {
  // Even the slowest machine is in time for a round of so many ids.
  const { birthOf, lookAtIds } = idsOn(1e9, 1);
  const children: ReturnType<typeof spawn>[] = [];
  const start = () => {
    const child = spawn("sleep", ["1000"], { stdio: "ignore" });
    children.push(child);
    return child.pid!;
  };
  try {
    // The ids may start from the bottom meanwhile.
    await eventually(() => {
      const before = start();
      const sinceMs = performance.now();
      const [pid, after] = [start(), start()];
      const { ids } = lookAtIds(birthOf(pid, sinceMs));
      expect(ids).toEqual(expect.arrayContaining([pid, after]));
      expect(ids).not.toContain(before);
    });
    await eventually(() => {
      const look = lookAtIds(birthOf(start(), performance.now()));
      const younger = start();
      expect(look.ids).not.toContain(younger);
      expect(look.next()).toMatchObject({ ids: expect.arrayContaining([younger]) });
    });
    // Other programs may start processes all the time.
    await eventually(() => expect(lookAtIds().next()).toBe("none"));
    const late = { pid: children[1]!.pid!, round: -1 };
    expect(lookAtIds(late).ids).toEqual(expect.arrayContaining(children.map(({ pid }) => pid!)));
  } finally {
    const ends = children.map((child) => once(child, "exit"));
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(ends);
  }
});
