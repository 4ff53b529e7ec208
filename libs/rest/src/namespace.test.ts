import { build, buildCopy, child, childJson, known, root, rootJson } from "../test/sample.js";
import { namespaceJson } from "./namespace.js";
import { namespaceEmbed } from "./namespace-copy.js";
import { relationsOf as made } from "./relations.js";

test("a root without builds has neither parent nor build", () => {
  expect(namespaceJson(root, known)).toStrictEqual({ ...rootJson, parent: null, build: null });
});

test("a child has its parent and its newest build", () => {
  const withBuild = made(known.url, { users: [...known.users.values()], namespaces: [root, child] }, [build]);
  expect(namespaceJson(child, withBuild)).toStrictEqual({ ...childJson, parent: rootJson, build: buildCopy });
});

test("a namespace that was just deleted is still embedded in its newest build", () => {
  const gone = made(known.url, { users: [...known.users.values()], namespaces: [] }, [build]);
  expect(namespaceJson(child, gone)).toStrictEqual({ ...childJson, parent: null, build: buildCopy });
});

test("a copy has neither parent nor build", () => {
  expect(namespaceEmbed(11, known)).toStrictEqual(childJson);
  expect(namespaceEmbed(undefined, known)).toBeNull();
});
