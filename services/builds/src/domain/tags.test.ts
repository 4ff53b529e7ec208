import { addedTags, submittedTags, tagFrom } from "./tags.js";

const limits = { maxTags: 3, tagLength: 5 };
const dots = "Tags name cannot have a segment . or ..";

it.each([
  ["trims tags and drops empty and repeated ones", [" a ", "", "a", "b c"], ["a", "b c"], []],
  ["drops tags that no URL can name", [".", " .. ", "...", ".a"], ["...", ".a"], []],
  ["rejects segments that URL parsers resolve", ["a", " ../b "], ["a", "../b"], [dots]],
  ["rejects such a segment at the end", ["a/."], ["a/."], [dots]],
  ["accepts empty segments", ["a", "a/", "//b"], ["a", "a/", "//b"], []],
  [
    "counts all but one of the tags that name cron jobs",
    ["cron:", "cron:a", "cron:b", "c", "d"],
    ["cron:", "cron:a", "cron:b", "c", "d"],
    ["Tags cannot exceed 3 per build", "Tags name cannot be longer than 5 characters in length"],
  ],
  ["limits the number of tags", ["a", "b", "c", "d"], ["a", "b", "c", "d"], ["Tags cannot exceed 3 per build"]],
  [
    "limits the characters, not the bytes",
    ["äöüßé", "äöüßéx"],
    ["äöüßé", "äöüßéx"],
    ["Tags name cannot be longer than 5 characters in length"],
  ],
])("a submission %s", (_what, given, names, complaints) => {
  expect(submittedTags(given, limits)).toEqual({ names, complaints });
});

it.each([
  ["skips tags that the build has", ["a", "b"], ["a"], ["b"], []],
  ["skips tags that no URL can name", [".", "..", "...", "..a"], [], ["...", "..a"], []],
  [
    "skips tags with invalid characters",
    ["a b", "v1.0/x"],
    [],
    ["v1.0/x"],
    [`Tags name cannot be longer than 5 characters in length`],
  ],
  ["does not count the service's own tags", ["d"], ["a", "b", "orphaned", "cron:x"], ["d"], []],
  ["rejects segments that URL parsers resolve", ["a/..", "b/./c"], ["b/./c"], ["a/.."], [dots]],
  ["counts the tags that the build has", ["d"], ["a", "b", "c"], ["d"], ["Tags cannot exceed 3 per build"]],
])("a later request %s", (_what, given, existing, names, complaints) => {
  expect(addedTags(given, existing, limits)).toEqual({ names, complaints });
});

it.each([
  ["cron:a/../../b/./c", "cron:a/--/--/b/-/c"],
  ["..", "--"],
  ["a/..b", "a/..b"],
  ["a//b/", "a//b/"],
  ["12345678901234567/..b", "12345678901234567/--"],
])("the service makes of %j the tag %j", (text, tag) => {
  expect(tagFrom(text, 20)).toBe(tag);
});
