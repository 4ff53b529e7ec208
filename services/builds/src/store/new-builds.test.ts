import { turnsDuring } from "@ci/testkit/turns-during";
import type { BuildDoc } from "../domain/build.js";
import { requireStorable } from "./new-builds.js";

test("other work has its turn between the builds of a matrix whose sizes are added up", async () => {
  const doc = { output: "x".repeat(100), outbox: [] } as unknown as BuildDoc;
  const bytes = requireStorable(Array.from({ length: 50 }, () => doc));
  expect(await turnsDuring(bytes)).toBeGreaterThan(45);
  expect(await bytes).toBe(50 * (await requireStorable([doc])));
});
