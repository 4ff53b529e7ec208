import { assembled } from "./assembled.js";

const disposed: string[] = [];
beforeEach(() => void disposed.splice(0));

const part = (name: string): AsyncDisposable => ({
  [Symbol.asyncDispose]: async () => void disposed.push(name),
});

test("disposes of the latest part first, and of a part that is owned to the end last", async () => {
  const whole = await assembled(async ({ own, ownToTheEnd }) => {
    own(part("database"));
    own(part("bus"));
    ownToTheEnd(part("admin port"));
    return { port: 1 };
  });
  expect(whole.port).toBe(1);
  expect(disposed).toEqual([]);
  await whole[Symbol.asyncDispose]();
  expect(disposed).toEqual(["bus", "database", "admin port"]);
});

test("disposes of all parts even if one of them fails, and throws its error", async () => {
  const whole = await assembled(async ({ own }) => {
    own(part("database"));
    own({ [Symbol.asyncDispose]: async () => Promise.reject(new Error("no bus")) });
    own(part("admin port"));
    return {};
  });
  await expect(whole[Symbol.asyncDispose]()).rejects.toThrow("no bus");
  expect(disposed).toEqual(["admin port", "database"]);
});

test("disposes of the parts that exist if the start fails, and throws its error", async () => {
  const start = assembled(async ({ own }) => {
    own(part("database"));
    throw new Error("no bus");
  });
  await expect(start).rejects.toThrow("no bus");
  expect(disposed).toEqual(["database"]);
});
