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

test("the last id is known unless many ids are in use, or the system does not show it", () => {
  expect(lastIdIn("0.08 1.17 1.43 2/118 7705\n", 32_768)).toBe(7705);
  expect(lastIdIn("0.08 1.17 1.43 2/5000 7705\n", 32_768)).toBeUndefined();
  expect(lastIdIn("0.08 1.17 1.43\n", 32_768)).toBeUndefined();
  // What gVisor shows.
  expect(lastIdIn("0.00 0.00 0.00 0/0 0\n", 32_768)).toBeUndefined();
});

describe("a look at the ids of processes", () => {
  // Even the slowest machine is in time for a round of so many ids.
  const { birthOf, lookAtIds } = idsOn(1e9, 1);
  const children: ReturnType<typeof spawn>[] = [];
  const start = () => {
    const child = spawn("sleep", ["1000"], { stdio: "ignore" });
    children.push(child);
    return child.pid!;
  };
  const pids = () => children.map(({ pid }) => pid!);
  const allOf = (look: ReturnType<ReturnType<typeof lookAtIds>["next"]>) =>
    typeof look === "object" ? [...look.ids] : look;

  afterEach(async () => {
    const ends = children.map((child) => once(child, "exit"));
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(ends);
    children.length = 0;
  });

  // The ids may start from the bottom at any time, so each of these is tried again.
  test("finds a child and younger processes only", () =>
    eventually(() => {
      const before = start();
      const sinceMs = performance.now();
      const [pid, after] = [start(), start()];
      const found = allOf(lookAtIds(birthOf(pid, sinceMs)));
      expect(found).toEqual(expect.arrayContaining([pid, after]));
      expect(found).not.toContain(before);
    }));

  test("is followed by one that finds those younger still", () =>
    eventually(() => {
      const sinceMs = performance.now();
      const look = lookAtIds(birthOf(start(), sinceMs));
      const younger = start();
      expect(allOf(look)).not.toContain(younger);
      expect(allOf(look.next())).toContain(younger);
    }));

  test("finds a process that appears while all are listed", () => {
    const late = { pid: start(), round: -1 };
    const { ids } = lookAtIds(late);
    const found: number[] = [];
    let appeared: number | undefined;
    for (const id of ids) {
      appeared ??= start();
      found.push(id);
    }
    expect(found).toContain(appeared);
  });

  test("is the last one if no process began meanwhile", () =>
    eventually(() => {
      const sinceMs = performance.now();
      birthOf(start(), sinceMs);
      const look = lookAtIds();
      allOf(look);
      expect(look.next()).toBe("none");
    }));

  test("finds all processes if there was time for another round of ids", () => {
    const late = { pid: start(), round: -1 };
    start();
    expect(allOf(lookAtIds(late))).toEqual(expect.arrayContaining(pids()));
  });

  test("is never the last one where the system shows an older id as the newest", () => {
    const { birthOf: bornAt, lookAtIds: look } = idsOn(1e9, 1);
    const sinceMs = performance.now();
    bornAt(start() + 1_000_000, sinceMs);
    const first = look();
    allOf(first);
    expect(first.next()).toBeUndefined();
  });
});
