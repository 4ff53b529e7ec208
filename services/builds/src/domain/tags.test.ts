import { addedTags, submittedTags } from "./tags.js";

const limits = { maxTags: 3, tagLength: 5 };

it.each([
  ["trims, drops empty ones and repetitions", [" a ", "", "a", "b c"], ["a", "b c"], []],
  ["drops what no URL can name", [".", " .. ", "...", ".a", "./."], ["...", ".a", "./."], []],
  ["counts", ["a", "b", "c", "d"], ["a", "b", "c", "d"], ["Tags cannot exceed 3 per build"]],
  [
    "measures characters, not bytes",
    ["äöüßé", "äöüßéx"],
    ["äöüßé", "äöüßéx"],
    ["Tags name cannot be longer than 5 characters in length"],
  ],
])("submission %s", (_what, given, names, complaints) => {
  expect(submittedTags(given, limits)).toEqual({ names, complaints });
});

it.each([
  ["skips what is there already", ["a", "b"], ["a"], ["b"], []],
  ["skips what no URL can name", [".", "..", "...", "..a"], [], ["...", "..a"], []],
  [
    "skips other characters",
    ["a b", "v1.0/x"],
    [],
    ["v1.0/x"],
    [`Tags name cannot be longer than 5 characters in length`],
  ],
  ["does not count the service's own", ["d"], ["a", "b", "orphaned", "cron:x"], ["d"], []],
  ["counts with those that are there", ["d"], ["a", "b", "c"], ["d"], ["Tags cannot exceed 3 per build"]],
])("tagging %s", (_what, given, has, names, complaints) => {
  expect(addedTags(given, has, limits)).toEqual({ names, complaints });
});
