import { readManifest } from "./manifest.js";

const limits = { maxBytes: 1024 * 1024, maxStages: 10, maxJobs: 10 };

function read(concurrency: string) {
  const reading = readManifest(`driver: {type: os}\nconcurrency: ${concurrency}\n`, limits);
  return "manifest" in reading ? reading.manifest.concurrency : reading.complaints.map(({ message }) => message);
}

test.each([
  ["", undefined],
  ["{}", undefined],
  ["{group: deploy}", { group: "deploy" }],
  ["{group: ' deploy ', cancel: none}", { group: "deploy" }],
  ["{group: deploy, cancel: queued}", { group: "deploy", cancel: "queued" }],
  ["{group: deploy, cancel: running}", { group: "deploy", cancel: "running" }],
])("concurrency: %s is read", (text, expected) => {
  expect(read(text)).toEqual(expected);
});

test.each([
  ["deploy", "Manifest line 2, column 14: concurrency must be a mapping, not a string"],
  ["{cancel: queued}", "Manifest line 2, column 14: concurrency must have a group"],
  ["{group: deploy, cancel: all}", 'unknown cancel "all"; known are "none", "queued", "running"'],
  ["{grup: deploy}", 'unknown key "grup" in concurrency; did you mean "group"?'],
  [`{group: ${"a".repeat(101)}}`, "the group of concurrency cannot be longer than 100 characters"],
  ['{group: "a\\u0007"}', "the group of concurrency cannot have control characters"],
])("concurrency: %s is refused", (text, complaint) => {
  expect(read(text)).toContainEqual(expect.stringContaining(complaint));
});
