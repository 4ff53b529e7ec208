import { build, buildCopy, known } from "../test/sample.js";
import { buildEmbed, buildJson } from "./build.js";

test("a whole build has output and manifest", () => {
  expect(buildJson(build, known)).toStrictEqual({ ...buildCopy, output: "all good\n", manifest: build.manifest });
});

test("a copy has neither output nor manifest", () => {
  expect(buildEmbed(build, known)).toStrictEqual(buildCopy);
});

test("missing fields are null, but there is always a trigger", () => {
  const { namespaceId, output, startedAt, finishedAt, trigger, ...bare } = build;
  const queue = { position: 3, reason: "limit of user" };
  expect(buildJson({ ...bare, tags: [], trigger: undefined, queue, outputBytes: 0 }, known)).toStrictEqual({
    ...buildCopy,
    namespace_id: null,
    tags: [],
    started_at: null,
    finished_at: null,
    namespace: null,
    trigger: { type: "manual", comment: "", data: {} },
    queue,
    manifest: build.manifest,
  });
});

test.each([
  ["no output", { output: undefined, outputBytes: 0 }, null],
  ["omitted output", { output: undefined, outputBytes: 12 }, null],
  ["whole output", { output: "é\n", outputBytes: 3 }, "é\n"],
  ["the end of the output", { output: "é\n", outputBytes: 1_003 }, "-- 1000 bytes left out, see output_url --\né\n"],
])("the output of a build: %s", (_, written, shown) => {
  expect(buildJson({ ...build, ...written }, known).output).toBe(shown);
});

test("a deleted namespace is null", () => {
  expect(buildEmbed({ ...build, namespaceId: 99 }, known)).toMatchObject({ namespace_id: 99, namespace: null });
});

test("an unknown user's URL leads to no other user", () => {
  expect(buildEmbed({ ...build, userId: 99 }, known)).toMatchObject({
    url: "https://ci.example.com/api/b/-/7",
    user: { id: 99, email: "", username: "-", created_at: null },
  });
});
