import { notRun } from "@ci/testkit/not-run";
import { anAssignment } from "./_assignment.js";
import { bootRunner } from "./_suite.js";

const image = process.env.CI_TEST_IMAGE;
if (!image) notRun("a parallel stage with the docker driver", "no Docker Engine");
const types = image ? (["os", "docker"] as const) : (["os"] as const);
const { run } = bootRunner({ drivers: [...types] });

/** Returns how long a parallel stage of so many jobs takes that sleep for 4 seconds. */
async function stageMs(type: (typeof types)[number], count: number): Promise<number> {
  const driver = { type, image: image ?? "", workspace: "/w", pullAlways: false, keepOnFailureMinutes: 0 };
  const { jobs, ...assignment } = anAssignment({ driver }, ...Array.from({ length: count }, () => ["sleep 4"]));
  const startedAt = performance.now();
  const build = await run({ ...assignment, jobs: jobs.map((job, index) => ({ ...job, parallel: index > 0 })) });
  expect(build.outcomes).toEqual(Array(count + 1).fill("passed"));
  return build.finishedAt! - startedAt;
}

// One after another they would take almost three times as long.
test.each(types)("three jobs of a parallel stage take little longer than one with the driver %s", async (type) => {
  await stageMs(type, 1);
  const [one, three] = [await stageMs(type, 1), await stageMs(type, 3)];
  console.log(`${type}: one job ${Math.round(one)} ms, three jobs ${Math.round(three)} ms`);
  expect(three / one).toBeLessThan(1.7);
});
