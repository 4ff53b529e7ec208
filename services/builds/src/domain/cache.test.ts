import { aBuild } from "../../test/_build.js";
import { cacheOwner } from "./cache.js";

const origin = { url: "https://git.example.com/a.git", sha: "0".repeat(40), bare: false };

test.each([
  ["in a namespace", { rootId: 7 }, "root/7"],
  ["of a hook in a namespace", { rootId: 7, origin: { ...origin, deliveryId: "1" } }, "root/7"],
  ["without a namespace", { names: { user: "ann" } }, "user/3"],
  ["that its user restarted", { origin }, "user/3"],
  ["of a hook whose namespace was deleted", { origin: { ...origin, deliveryId: "1" } }, undefined],
  ["of a fork whose namespace was deleted", { origin: { ...origin, bare: true } }, undefined],
  ["whose namespace was deleted", { names: { user: "ann", namespace: "team" } }, undefined],
  ["of a namespace's cron job whose namespace was deleted", { namespaceOnly: true }, undefined],
])("a build %s has caches of its owner, if any", (_which, fields, owner) => {
  expect(cacheOwner({ ...aBuild({ userId: 3 }), ...fields })).toBe(owner);
});
