import { changesBuilds, placesEveryMs, pollEveryMs } from "./live-builds.js";

test.each([
  ["build.submitted", {}, true],
  ["build.unpinned", {}, true],
  ["namespaces", { action: "deleted" }, true],
  ["namespaces", { action: "updated" }, false],
  ["variables", { action: "deleted" }, false],
  ["invite.accepted", {}, false],
])("whether %s with %j changes a list of builds: %s", (event, data, changes) => {
  expect(changesBuilds({ event, data })).toBe(changes);
});

test("a list that is not live is read more often while a build runs", () => {
  expect([pollEveryMs([]), pollEveryMs([{ status: "passed" }, { status: "running" }])]).toEqual([5_000, 2_000]);
});

test("a live list is read only for places in the queue", () => {
  const queue = { position: 2, reason: "waiting for a free runner" };
  expect([placesEveryMs([{ queue: null }]), placesEveryMs([{ queue }])]).toEqual([undefined, 15_000]);
});
