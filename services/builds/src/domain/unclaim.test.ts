import { aBuild, t0 } from "../../test/_build.js";
import { applyChange } from "./change.js";
import { claim } from "./moves.js";
import { unclaim } from "./take-back.js";

const running = (overrides = {}) => {
  const doc = aBuild(overrides);
  return applyChange(doc, claim(doc, { runnerId: "r1", leaseHash: "h" }, 15_000, t0));
};

test("a claim that is taken back leaves the build as it was, unless others hold it by now", () => {
  const doc = running();
  const { status, startedAt, lease, jobs, tags, returns } = applyChange(doc, unclaim(doc, 1, t0)!);
  expect({ status, startedAt, lease }).toEqual({ status: "queued" });
  expect({ jobs, tags, returns }).toEqual({ jobs: aBuild().jobs, tags: [], returns: 0 });
  for (const later of [{ ...doc, epoch: 2 }, aBuild({ epoch: 1 })]) expect(unclaim(later, 1, t0)).toBeUndefined();
});

test("a claim of a build that was killed meanwhile ends with the build", () => {
  expect(unclaim(running({ killRequestedAt: t0 }), 1, t0)!.set.status).toBe("killed");
});
