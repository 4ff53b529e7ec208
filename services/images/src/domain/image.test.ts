import { nameComplaints, placeIn } from "./image.js";

const characters = "Name can only contain letters, numbers, dashes, and underscores";
const tooLong = "Name cannot be longer than 255 characters in length";

test.each<[string, string[]]>([
  ["", ["Name field required"]],
  ["debian-12_x", []],
  ["a".repeat(255), []],
  ["a".repeat(256), [tooLong]],
  ["a.b", [characters]],
  ["a\n", [characters]],
  ["é".repeat(256), [characters, tooLong]],
  ["🙂".repeat(255), [characters]],
])("nameComplaints: %s", (name, complaints) => expect(nameComplaints(name)).toEqual(complaints));

test("placeIn: a namespace's owner, else the author", () => {
  const namespace = { id: 5, userId: 7, rootId: 3, name: "a", path: "a/b", description: "", visibility: "private" };
  const place = placeIn({ ...namespace, createdAt: undefined }, 9);
  expect(place).toEqual({ authorId: 9, userId: 7, namespaceId: 5, rootId: 3, scope: "n5" });
  expect(placeIn(undefined, 9)).toEqual({ authorId: 9, userId: 9, scope: "u9" });
});
