import { fairBytes } from "./fair-bytes.js";

const tick = () => new Promise(setImmediate);

/** Returns a way to run tasks that last until the test ends them. */
function manual(maxBytes: number, maxWaiting = 100, leavesRoom = false) {
  const inTurn = fairBytes<string>(maxBytes, maxWaiting, "Too many", { leavesRoom });
  const ends = new Map<string, () => void>();
  const names: string[] = [];
  const run = (owner: string, name: string, bytes: number) =>
    inTurn(owner, bytes, () => {
      names.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)!();
    await tick();
  };
  return { inTurn, run, end, names };
}

test("tasks run while they fit together, and a task that does not fit holds up the later ones", async () => {
  const { run, end, names } = manual(10);
  for (const [name, bytes] of [
    ["a1", 4],
    ["a2", 5],
    ["a3", 7],
    ["a4", 1],
  ] as const)
    void run("ann", name, bytes);
  await tick();
  expect(names).toEqual(["a1", "a2"]);
  await end("a1");
  expect(names).toEqual(["a1", "a2"]);
  await end("a2");
  expect(names).toEqual(["a1", "a2", "a3", "a4"]);
});

test("a task that is larger than the limit runs alone", async () => {
  const { run, end, names } = manual(10);
  for (const [name, bytes] of [
    ["a1", 1],
    ["a2", 99],
    ["a3", 1],
  ] as const)
    void run("ann", name, bytes);
  await tick();
  await end("a1");
  expect(names).toEqual(["a1", "a2"]);
  await end("a2");
  expect(names).toEqual(["a1", "a2", "a3"]);
});

test("owners take turns, however many tasks each has", async () => {
  const { run, end, names } = manual(1);
  for (const name of ["a1", "a2", "a3", "a4"]) void run("ann", name, 1);
  for (const name of ["b1", "b2"]) void run("bob", name, 1);
  await tick();
  for (const name of ["a1", "a2", "b1", "a3", "b2"]) await end(name);
  expect(names).toEqual(["a1", "a2", "b1", "a3", "b2", "a4"]);
});

test("an owner who leaves room for others gets half of the bytes, and further ones as room is left", async () => {
  const { run, end, names } = manual(8, 100, true);
  for (const name of ["a1", "a2", "a3"]) void run("ann", name, 2);
  for (const name of ["b1", "b2"]) void run("bob", name, 2);
  await tick();
  expect(names).toEqual(["a1", "a2", "b1"]);
  await end("b1");
  expect(names).toEqual(["a1", "a2", "b1", "b2"]);
  await end("a1");
  expect(names).toEqual(["a1", "a2", "b1", "b2", "a3"]);
  void run("ann", "a4", 99);
  for (const name of ["a2", "b2"]) await end(name);
  expect(names).not.toContain("a4");
  await end("a3");
  expect(names).toContain("a4");
});

test("a task that fails makes room, and an owner with too many waiting tasks is refused", async () => {
  const { inTurn, run, end, names } = manual(1, 1);
  await expect(inTurn("ann", 1, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  void run("ann", "a1", 1);
  void run("ann", "a2", 1);
  await expect(run("ann", "a3", 1)).rejects.toMatchObject({ code: "exhausted", message: "Too many" });
  void run("bob", "b1", 1);
  await tick();
  await end("a1");
  await end("a2");
  expect(names).toEqual(["a1", "a2", "b1"]);
});

test("an owner whose waiting tasks are too large is refused, and a single large one waits", async () => {
  const inTurn = fairBytes<string>(1, 100, "Too many", { maxWaitingBytes: 10 });
  const ends: (() => void)[] = [];
  const run = (owner: string, bytes: number) => inTurn(owner, bytes, () => new Promise<void>((end) => ends.push(end)));
  const tasks = [run("ann", 1), run("ann", 50), run("bob", 4), run("bob", 6)];
  for (const owner of ["ann", "bob"]) await expect(run(owner, 1)).rejects.toMatchObject({ message: "Too many" });
  for (const nth of tasks.keys()) {
    ends[nth]!();
    await tick();
  }
  await Promise.all(tasks);
});
