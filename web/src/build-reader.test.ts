import { ApiError } from "@service-ci/client";
import type { Build } from "./api.js";
import { buildReader } from "./build-reader.js";

const { signal } = new AbortController();

/** Reads the builds a, b and c of a server that answers with a status or an error. Returns what was requested, too. */
function readerOf(answers: Record<string, string | Error>) {
  const requested: string[] = [];
  const read = buildReader(async (url) => {
    requested.push(url);
    const answer = answers[url]!;
    if (answer instanceof Error) throw answer;
    return { url, status: answer } as Build;
  });
  return async () => {
    requested.length = 0;
    const { builds, error, changes } = await read(["a", "b", "c"], signal);
    return { requested: requested.join(""), statuses: builds.map(({ status }) => status), error, changes };
  };
}

test("a finished build is read once, the others until they finish", async () => {
  const answers = { a: "passed", b: "running", c: "queued" };
  const read = readerOf(answers);
  expect(await read()).toMatchObject({ requested: "abc", statuses: ["passed", "running", "queued"], changes: true });
  answers.b = "failed";
  expect(await read()).toMatchObject({ requested: "bc", statuses: ["passed", "failed", "queued"], changes: true });
  answers.c = "killed";
  expect(await read()).toMatchObject({ requested: "c", statuses: ["passed", "failed", "killed"], changes: false });
  expect(await read()).toMatchObject({ requested: "", statuses: ["passed", "failed", "killed"], changes: false });
});

test.each([new ApiError(503, "Busy"), new ApiError(429, "Busy"), new TypeError("Failed to fetch")])(
  "one failed request keeps the other builds and is repeated: %p",
  async (error) => {
    const answers: Record<string, string | Error> = { a: "passed", b: error, c: "passed" };
    const read = readerOf(answers);
    expect(await read()).toEqual({ requested: "abc", statuses: ["passed", "passed"], error, changes: true });
    answers.b = "running";
    expect(await read()).toMatchObject({ requested: "b", error: undefined, changes: true });
    answers.b = error;
    expect(await read()).toMatchObject({ statuses: ["passed", "running", "passed"], error });
  },
);

test("a refused build is not requested again, and its error stays", async () => {
  const error = new ApiError(404, "Not Found");
  const read = readerOf({ a: error, b: "passed", c: "passed" });
  expect(await read()).toEqual({ requested: "abc", statuses: ["passed", "passed"], error, changes: false });
  expect(await read()).toEqual({ requested: "", statuses: ["passed", "passed"], error, changes: false });
});

test("without a session nothing is read", async () => {
  const error = new ApiError(401, "Unauthorized");
  const read = readerOf({ a: error, b: "passed", c: error });
  await expect(read()).rejects.toBe(error);
});
