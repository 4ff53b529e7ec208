import { build, buildCopy, relations } from "../test/sample.js";
import { buildEmbed, buildJson } from "./build.js";

test("buildJson includes the output and the manifest", () => {
  const whole = { ...buildCopy, output: "all good\n", manifest: build.manifest, tests: null };
  expect(buildJson(build, relations)).toStrictEqual(whole);
  const tests = { total: 3, failed: 1, skipped: 1, seconds: 0.5 };
  expect(buildJson({ ...build, tests }, relations)).toStrictEqual({ ...whole, tests });
});

test("buildEmbed omits the output and the manifest", () => {
  expect(buildEmbed(build, relations)).toStrictEqual(buildCopy);
});

test("missing fields are null, except the trigger, which has a default", () => {
  const { namespaceId, output, startedAt, finishedAt, trigger, ...bare } = build;
  const queue = { position: 3, reason: "limit of user" };
  expect(buildJson({ ...bare, tags: [], trigger: undefined, queue, outputBytes: 0 }, relations)).toStrictEqual({
    ...buildCopy,
    namespace_id: null,
    tags: [],
    started_at: null,
    finished_at: null,
    namespace: null,
    trigger: { type: "manual", comment: "", data: {} },
    queue,
    manifest: build.manifest,
    tests: null,
  });
});

test.each([
  ["no output", { output: undefined, outputBytes: 0 }, null],
  ["omitted output", { output: undefined, outputBytes: 12 }, null],
  ["whole output", { output: "é\n", outputBytes: 3 }, "é\n"],
  ["the end of the output", { output: "é\n", outputBytes: 1_003 }, "-- 1000 bytes left out, see output_url --\né\n"],
])("output of a build with %s", (_, stored, expected) => {
  expect(buildJson({ ...build, ...stored }, relations).output).toBe(expected);
});

test("the namespace is null if it is deleted", () => {
  expect(buildEmbed({ ...build, namespaceId: 99 }, relations)).toMatchObject({ namespace_id: 99, namespace: null });
});

test("the URL of a build of an unknown user leads to no other user", () => {
  expect(buildEmbed({ ...build, userId: 99 }, relations)).toMatchObject({
    url: "https://ci.example.com/api/b/-/7",
    user: { id: 99, email: "", username: "-", created_at: null },
  });
});
