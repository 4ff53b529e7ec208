import { fileTooLarge, objectNameComplaints } from "./object.js";

const pattern = "Name can only contain letters, numbers, dots, dashes, and underscores";
const long = "Name cannot be longer than 255 characters in length";

test.each([
  ["a.tar_1-2", []],
  ["..", []],
  ["", ["Name field required"]],
  ["a/b", [pattern]],
  ["a b", [pattern]],
  ["a\n", [pattern]],
  ["a".repeat(255), []],
  ["a".repeat(256), [long]],
  ["é".repeat(256), [pattern, long]],
])("checks the object name %p", (name, complaints) => {
  expect(objectNameComplaints(name)).toEqual(complaints);
});

test.each([
  [5 * 1024 ** 2, "file too large, cannot exceed 5 MB"],
  [1024 ** 3, "file too large, cannot exceed 1024 MB"],
  [512 * 1024, "file too large, cannot exceed 0.5 MB"],
  [1000, "file too large, cannot exceed 0.000953674 MB"],
])("states the file limit of %p bytes in MB", (limitBytes, message) => {
  expect(fileTooLarge(limitBytes)).toBe(message);
});
