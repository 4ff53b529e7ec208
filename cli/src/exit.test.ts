import { ApiError } from "@service-ci/client";
import { exitOf, Failure } from "./exit.js";
import { explain, lostNote } from "./explain.js";

test.each([
  [["passed", "passed_with_failures"], 0],
  [["passed", "failed"], 1],
  [["killed", "timed_out", "passed"], 4],
  [["killed", "passed"], 3],
  [["timed_out", "failed", "killed"], 1],
  [[], 0],
])("builds that ended as %j exit with %i", (statuses, code) => {
  expect(exitOf(statuses)).toBe(code);
});

test("an error is explained, and says what to do", () => {
  expect(explain(new ApiError(401, "Unauthorized"))).toEqual({ message: expect.stringContaining("ci login"), code: 2 });
  const fields = { manifest: ["Manifest line 2: a", "Manifest line 3: b"] };
  expect(explain(new ApiError(400, "a; b", fields))).toEqual({
    message: "Manifest line 2: a\nManifest line 3: b",
    code: 1,
  });
  expect(explain(new ApiError(429, "Too many requests", {}, 3)).message).toBe("Too many requests. Try again in 3 s");
  expect(explain(new ApiError(500, "Internal error", {}, undefined, "r1")).message).toBe("Internal error (request r1)");
  expect(explain(new ApiError(403, "Token lacks permission build:write"))).toEqual({
    message:
      "Token lacks permission build:write. Sign in with a token whose scope contains it, or ask an administrator for one",
    code: 1,
  });
  expect(explain(new ApiError(403, "Forbidden")).message).toBe("Forbidden");
  const cause = new AggregateError([new Error("connect ECONNREFUSED 127.0.0.1:1")]);
  expect(explain(new TypeError("fetch failed", { cause })).message).toBe(
    "The server cannot be reached: connect ECONNREFUSED 127.0.0.1:1",
  );
  expect(lostNote(new TypeError("fetch failed", { cause }))).toBe(
    "The connection is lost (connect ECONNREFUSED 127.0.0.1:1); trying again",
  );
  expect(lostNote(undefined)).toBe("The connection is lost; trying again");
  expect(explain(new DOMException("The server is silent", "TimeoutError")).message).toBe("The server is silent");
  expect(explain(new Failure("Why", 3))).toEqual({ message: "Why", code: 3 });
  expect(explain(new Error("odd")).message).toMatch(/^This is a bug in ci: Error: odd/);
});
