import { descriptionComplaints, newNamespace, toNamespace, visibilityComplaints } from "./namespace.js";

const at = new Date();

test("only the root of a tree stores the visibility, and every namespace shows it", () => {
  const root = newNamespace({ id: 1, userId: 9, name: "team", at }, undefined, { visibility: "internal" });
  const child = newNamespace({ id: 2, userId: 9, name: "web", at }, root, { description: "the site" });
  const grandchild = newNamespace({ id: 3, userId: 9, name: "api", at }, child);
  expect([root, child, grandchild].map(({ doc }) => doc.visibility)).toEqual(["internal", undefined, undefined]);
  expect(grandchild.doc.line).toEqual([1, 2]);
  expect(toNamespace(root)).toMatchObject({ id: 1, rootId: 1, path: "team", visibility: "internal" });
  expect(toNamespace(root).parentId).toBeUndefined();
  expect(toNamespace(child)).toMatchObject({ rootId: 1, parentId: 1, path: "team/web", description: "the site" });
  expect(toNamespace(grandchild)).toEqual({
    id: 3,
    userId: 9,
    rootId: 1,
    parentId: 2,
    ancestorIds: [1, 2],
    name: "api",
    path: "team/web/api",
    description: "",
    visibility: "internal",
    createdAt: at,
  });
});

test.each([
  ["", []],
  ["x".repeat(255), []],
  ["😀".repeat(255), []],
  ["x".repeat(256), ["Description cannot be longer than 255 characters in length"]],
])("checks the description %s", (description, complaints) => {
  expect(descriptionComplaints(description, 255)).toEqual(complaints);
});

test.each([
  [undefined, []],
  ["", []],
  ["private", []],
  ["internal", []],
  ["public", []],
  ["Public", ["Visibility invalid visibility Public"]],
])("checks the visibility %s", (visibility, complaints) => {
  expect(visibilityComplaints(visibility)).toEqual(complaints);
});
