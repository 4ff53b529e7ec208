import { placement } from "./record-scope.js";

test("placement gives a record to the owner of its namespace, or to its author without one", () => {
  const place = placement({ id: 5, userId: 7, rootId: 3 }, 9);
  expect(place).toEqual({ authorId: 9, userId: 7, namespaceId: 5, rootId: 3, scope: "n5" });
  expect(placement(undefined, 9)).toEqual({ authorId: 9, userId: 9, scope: "u9" });
});
