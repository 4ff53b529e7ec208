import type { Filter } from "@ci/proto/webhooks/v1/webhooks";
import { eventKinds } from "./event-kinds.js";
import { filterErrors, matches } from "./filter.js";

const filterOf = (paths: Readonly<Record<string, readonly unknown[]>>): Filter => ({
  conditions: Object.entries(paths).map(([path, values]) => ({ path, values })),
});
const upTo = (count: number) => Array.from({ length: count }, (_, nth) => nth + 1);
const build = {
  status: "failed",
  number: 5,
  pinned: false,
  group: null,
  tags: ["a"],
  trigger: { data: { ref: "refs/heads/main", empty: "" } },
};

test.each<[Readonly<Record<string, readonly unknown[]>>, boolean]>([
  [{ status: ["failed"] }, true],
  [{ status: ["killed", "failed"] }, true],
  [{ status: ["passed"] }, false],
  [{ status: ["failed"], "trigger.data.ref": ["refs/heads/main"] }, true],
  [{ status: ["failed"], "trigger.data.ref": ["refs/heads/next"] }, false],
  [{ status: ["Failed", "fail", "failed "] }, false],
  [{ number: [5] }, true],
  [{ number: ["5", 4] }, false],
  [{ pinned: [false] }, true],
  [{ pinned: [true, null, 0, ""] }, false],
  [{ group: [null] }, true],
  [{ "group.id": [null] }, false],
  [{ missing: [null] }, false],
  [{ "trigger.data.empty": [""] }, true],
  [{ "status.length": [6] }, false],
  [{ trigger: ["[object Object]"] }, false],
  [{ constructor: [null], "__proto__.constructor": ["Object"] }, false],
  [{ "constructor.name": ["Object"] }, false],
  [{ "trigger.__proto__": [null] }, false],
])("%j matches the build: %p", (paths, expected) => expect(matches(filterOf(paths), build)).toBe(expected));

test("everything passes without a filter, and only records can pass one", () => {
  expect(matches(undefined, build)).toBe(true);
  for (const record of [null, undefined, "failed", 5])
    expect(matches(filterOf({ status: ["failed"] }), record)).toBe(false);
});

const branches = (count: number, length: number) => upTo(count).map((nth) => `${nth}`.padStart(length, "x"));

test.each<[Readonly<Record<string, readonly unknown[]>>]>([
  [{ status: ["failed", "killed"], "trigger.data.ref": ["refs/heads/main"] }],
  [{ "trigger.data.ref": branches(20, 10) }],
  [{ "trigger.data.ref": branches(16, 255) }],
  [{ "trigger.data.ref": ["😀".repeat(256)] }],
  [{ [`trigger.data.${"x".repeat(115)}`]: ["a"] }],
  [Object.fromEntries(upTo(10).map((nth) => [`trigger.data.${nth}`, ["a"]]))],
  [{ "tests.failed": [0], "queue.position": [1], pinned: [true], started_at: [null] }],
  [{ action: ["deleted"], "image.name": ["base"] }],
  [{ "namespace.build.status": ["failed"] }],
])("%j is accepted", (paths) => expect(filterErrors(filterOf(paths), eventKinds)).toEqual([]));

const unknown = "is in none of the webhook's events: name a field of their payload, such as status or namespace.path";

test.each<[Readonly<Record<string, readonly unknown[]>>, string]>([
  [{ "build.statuss": ["failed"] }, `Filter path build.statuss ${unknown}`],
  [{ "": ["failed"] }, `Filter path  ${unknown}`],
  [{ "build..status": ["failed"] }, `Filter path build..status ${unknown}`],
  [{ "trigger.data.": ["a"] }, `Filter path trigger.data. ${unknown}`],
  [{ "tags.0": ["a"] }, `Filter path tags.0 ${unknown}`],
  [{ constructor: ["a"] }, `Filter path constructor ${unknown}`],
  [{ "build.__proto__": ["a"] }, `Filter path build.__proto__ ${unknown}`],
  [{ "trigger.data.ref.name": ["a"] }, `Filter path trigger.data.ref.name ${unknown}`],
  [{ status: [] }, "Filter status has no values: name some, or leave the path out"],
  [{ status: ["fialed"] }, `Filter status is "fialed" in none of the webhook's events`],
  [{ number: ["5"] }, `Filter number is "5" in none of the webhook's events`],
  [{ "trigger.data.id": [5] }, `Filter trigger.data.id is 5 in none of the webhook's events; write "5" in quotes`],
  [{ reason: [true] }, `Filter reason is true in none of the webhook's events; write "true" in quotes`],
  [{ "trigger.data.id": [null] }, "Filter trigger.data.id is null in none of the webhook's events"],
  [{ status: [null] }, "Filter status is null in none of the webhook's events"],
  [{ tags: ["a"] }, `Filter tags is "a" in none of the webhook's events`],
  [{ number: upTo(21) }, "Filter values of number cannot have more than 20 entries"],
  [{ reason: ["x".repeat(257)] }, "Filter value of reason cannot be longer than 256 characters in length"],
  [{ [`trigger.data.${"x".repeat(116)}`]: ["a"] }, "Filter path cannot be longer than 128 characters in length"],
  [
    Object.fromEntries(upTo(11).map((nth) => [`trigger.data.${nth}`, ["a"]])),
    "Filter cannot have more than 10 entries",
  ],
  [{ "trigger.data.ref": branches(17, 241) }, "Filter cannot be longer than 4096 characters in length"],
])("%j is refused", (paths, error) => expect(filterErrors(filterOf(paths), eventKinds)).toEqual([error]));

test("a path and its values have to be those of one of the events", () => {
  const ofBuild = filterOf({ status: ["failed"] });
  const ofTag = filterOf({ "build.status": ["failed"] });
  expect(filterErrors(ofBuild, ["cron", "build.finished"])).toEqual([]);
  expect(filterErrors(ofTag, ["build.finished", "build.tagged"])).toEqual([]);
  expect(filterErrors(ofTag, ["build.finished"])).toEqual([`Filter path build.status ${unknown}`]);
  expect(filterErrors(ofBuild, ["cron"])).toEqual([`Filter path status ${unknown}`]);
});

test("each wrong condition has its complaint", () =>
  expect(filterErrors(filterOf({ x: [1], status: ["a", "b", "a"] }), eventKinds)).toEqual([
    `Filter path x ${unknown}`,
    'Filter status is "a" in none of the webhook\'s events',
    'Filter status is "b" in none of the webhook\'s events',
  ]));
