import { idempotencyOf, inFixedOrder } from "./idempotency.js";

const request = ["submitBuild", "manifest", [["SECRET", "1"]]] as const;
const of = (userId: number, key: string) => idempotencyOf(userId, key, request)!;

test("without a key there is nothing to keep", () => expect(idempotencyOf(1, "", request)).toBeUndefined());

test("one request has the same hashes again, and others for another key or user", () => {
  expect(of(1, "a")).toEqual(of(1, "a"));
  for (const field of ["key", "request"] as const)
    expect(new Set([of(1, "a"), of(1, "b"), of(2, "a")].map((one) => one[field])).size).toBe(3);
});

test("the order in which a client sends variables does not count", () =>
  expect(inFixedOrder({ B: "2", A: "1" })).toEqual(inFixedOrder({ A: "1", B: "2" })));
