import { fairly } from "./fairly.js";

const tick = () => new Promise(setImmediate);
const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);

/** Returns a way to run tasks that last until the test ends them. */
function manual(slots: number, maxWaiting = 100) {
  const inTurn = fairly<string>(slots, maxWaiting, "Too many");
  const begun: { name: string; end(): Promise<void> }[] = [];
  const run = (owner: string, name: string, signal?: AbortSignal) =>
    inTurn(
      owner,
      () =>
        new Promise<void>((resolve) => {
          const end = async () => {
            resolve();
            await tick();
          };
          begun.push({ name, end });
        }),
      signal,
    );
  return { inTurn, run, begun, names: () => begun.map(({ name }) => name) };
}

test("an owner with many tasks leaves a slot to another", async () => {
  const { run, begun, names } = manual(2);
  for (const nth of upTo(10)) void run("ann", `a${nth}`);
  await tick();
  expect(names()).toEqual(["a1"]);
  void run("bob", "b1");
  void run("bob", "b2");
  await tick();
  expect(names()).toEqual(["a1", "b1"]);
  await begun[1]!.end();
  expect(names()).toEqual(["a1", "b1", "b2"]);
});

test("owners take turns, however many tasks each has", async () => {
  const { run, begun, names } = manual(1);
  for (const nth of upTo(100)) void run("ann", `a${nth}`);
  for (const name of ["b1", "b2"]) void run("bob", name);
  void run("eve", "e1");
  await tick();
  for (const nth of upTo(5)) await begun[nth - 1]!.end();
  expect(names()).toEqual(["a1", "a2", "b1", "e1", "a3", "b2"]);
});

test("a task that fails passes its slot on", async () => {
  const { inTurn } = manual(1);
  await expect(inTurn("ann", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await inTurn("ann", async () => 7)).toBe(7);
});

test("an owner with too many waiting tasks is refused, and others are not", async () => {
  const { inTurn, run, begun } = manual(2, 3);
  const all = upTo(4).map((nth) => run("ann", `a${nth}`));
  await expect(run("ann", "a5")).rejects.toMatchObject({ code: "exhausted", message: "Too many" });
  expect(await inTurn("bob", async () => 7)).toBe(7);
  for (const nth of upTo(4)) await begun[nth - 1]!.end();
  await Promise.all(all);
});

test("a task that gives up before its turn leaves its place to another", async () => {
  const { run, begun, names } = manual(1, 1);
  const first = run("ann", "a1");
  const impatient = new AbortController();
  const givenUp = run("ann", "a2", impatient.signal);
  await expect(run("ann", "a3")).rejects.toMatchObject({ code: "exhausted" });
  impatient.abort();
  await expect(givenUp).rejects.toMatchObject({ code: "exhausted" });
  const last = run("ann", "a4");
  await begun[0]!.end();
  await begun[1]!.end();
  await Promise.all([first, last]);
  expect(names()).toEqual(["a1", "a4"]);
});

test("a task goes on when its signal fires during its turn, and does not begin after its signal", async () => {
  const { run, begun, names } = manual(1);
  const late = new AbortController();
  const running = run("ann", "a1", late.signal);
  await tick();
  late.abort();
  await expect(run("ann", "a2", late.signal)).rejects.toMatchObject({ code: "exhausted" });
  await begun[0]!.end();
  await running;
  expect(names()).toEqual(["a1"]);
});
