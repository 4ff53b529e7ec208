import { forwarding } from "./forwarding.js";

const tick = () => new Promise(setImmediate);
const MiB = 1024 ** 2;

function bodies(maxBytes: number, maxBytesOfAddress: number) {
  const forward = forwarding({ maxBytes, maxBytesOfAddress });
  const ends = new Map<string, () => void>();
  return {
    begun: () => [...ends.keys()],
    pass: (address: string, name: string, bytes: number, signal = new AbortController().signal) =>
      forward(address, bytes, signal, () => new Promise<void>((end) => ends.set(name, end))),
    async end(name: string) {
      ends.get(name)!();
      await tick();
    },
  };
}

test("large bodies of an address wait for each other, and hold up neither small ones nor those of others", async () => {
  const { pass, begun, end } = bodies(10 * MiB, 4 * MiB);
  for (const name of ["a1", "a2", "a3"]) void pass("a", name, 3 * MiB);
  void pass("a", "small", 64 * 1024);
  void pass("b", "b1", 6 * MiB);
  await tick();
  expect(begun()).toEqual(["small", "a1", "b1"]);
  await end("a1");
  expect(begun().slice(3)).toEqual(["a2"]);
});

test("beyond the limit of all, addresses take turns", async () => {
  const { pass, begun, end } = bodies(4 * MiB, 4 * MiB);
  for (const name of ["a1", "a2", "a3"]) void pass("a", name, 3 * MiB);
  for (const name of ["b1", "b2"]) void pass("b", name, 3 * MiB);
  void pass("c", "c1", 9 * MiB);
  for (const name of ["a1", "a2", "b1", "c1", "a3"]) {
    await tick();
    expect(begun().at(-1)).toBe(name);
    await end(name);
  }
  expect(begun().at(-1)).toBe("b2");
});

test("a body that is given up, or fails, makes room", async () => {
  const { pass, begun, end } = bodies(4 * MiB, 4 * MiB);
  const left = new AbortController();
  void pass("a", "a1", 3 * MiB);
  const given = pass("a", "a2", 3 * MiB, left.signal);
  void pass("a", "a3", 3 * MiB);
  left.abort(new Error("left"));
  await expect(given).rejects.toThrow("left");
  await expect(pass("a", "a4", 3 * MiB, left.signal)).rejects.toThrow("left");
  await end("a1");
  expect(begun()).toEqual(["a1", "a3"]);
  await end("a3");
  const forward = forwarding();
  await expect(
    forward("a", 9 * MiB, new AbortController().signal, () => Promise.reject(new Error("no"))),
  ).rejects.toThrow("no");
  expect(await forward("b", 90 * MiB, new AbortController().signal, async () => 7)).toBe(7);
});
