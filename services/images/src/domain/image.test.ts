import { nameComplaints } from "./image.js";

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
])("checks the name %s", (name, complaints) => expect(nameComplaints(name)).toEqual(complaints));
