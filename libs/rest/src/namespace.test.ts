import { build, buildCopy, child, childJson, relations, root, rootJson } from "../test/sample.js";
import { namespaceJson } from "./namespace.js";
import { namespaceEmbed } from "./namespace-copy.js";
import { relationsOf } from "./relations.js";

test("the parent and the build of a root without builds are null", () => {
  expect(namespaceJson(root, relations)).toStrictEqual({ ...rootJson, parent: null, build: null });
});

test("a child has its parent and its newest build", () => {
  const withBuild = relationsOf(relations.url, { users: [...relations.users.values()], namespaces: [root, child] }, [
    build,
  ]);
  expect(namespaceJson(child, withBuild)).toStrictEqual({ ...childJson, parent: rootJson, build: buildCopy });
});

test("a namespace that was just deleted is still embedded in its newest build", () => {
  const withoutNamespaces = relationsOf(relations.url, { users: [...relations.users.values()], namespaces: [] }, [
    build,
  ]);
  expect(namespaceJson(child, withoutNamespaces)).toStrictEqual({ ...childJson, parent: null, build: buildCopy });
});

test("namespaceEmbed omits the parent and the build", () => {
  expect(namespaceEmbed(11, relations)).toStrictEqual(childJson);
  expect(namespaceEmbed(undefined, relations)).toBeNull();
});
