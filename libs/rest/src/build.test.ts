import { build, buildCopy, known } from "../test/sample.js";
import { buildEmbed, buildJson } from "./build.js";

test("a whole build", () => {
  expect(buildJson(build, known)).toStrictEqual({ ...buildCopy, output: "all good\n", manifest: build.manifest });
});

test("a copy has neither output nor manifest", () => {
  expect(buildEmbed(build, known)).toStrictEqual(buildCopy);
});

test("what is not there is null, and the trigger is always there", () => {
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
  ["nothing written", { output: undefined, outputBytes: 0 }, null],
  ["left out on purpose", { output: undefined, outputBytes: 12 }, null],
  ["all of it", { output: "é\n", outputBytes: 3 }, "é\n"],
  ["only the end", { output: "é\n", outputBytes: 1_003 }, "-- 1000 bytes left out, see output_url --\né\n"],
])("output: %s", (_, written, shown) => {
  expect(buildJson({ ...build, ...written }, known).output).toBe(shown);
});

test("a namespace that is gone is null", () => {
  expect(buildEmbed({ ...build, namespaceId: 99 }, known)).toMatchObject({ namespace_id: 99, namespace: null });
});

test("a user that nobody knows leads to nobody else", () => {
  expect(buildEmbed({ ...build, userId: 99 }, known)).toMatchObject({
    url: "https://ci.example.com/api/b/-/7",
    user: { id: 99, email: "", username: "-", created_at: null },
  });
});
