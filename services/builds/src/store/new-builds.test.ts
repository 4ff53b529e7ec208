import { turnsDuring } from "@ci/testkit/turns-during";
import type { BuildDoc } from "../domain/build.js";
import { requireStorable } from "./new-builds.js";

test("other work runs while the builds of a matrix are prepared", async () => {
  let measured = 0;
  const docs = Array.from({ length: 50 }, () => ({
    tags: [],
    outbox: [],
    get awaitsApproval() {
      measured++;
      return true;
    },
  }));
  const made = requireStorable(docs as unknown as BuildDoc[]);
  const beforeATurn = measured;
  expect(await turnsDuring(made)).toBeGreaterThan(45);
  expect(beforeATurn).toBeLessThan(measured / 45);
  const { bytes } = await requireStorable(docs.slice(0, 1) as unknown as BuildDoc[]);
  expect(await made).toMatchObject({ stored: { length: 50 }, bytes: 50 * bytes });
});
