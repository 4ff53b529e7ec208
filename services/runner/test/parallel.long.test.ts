import { notRun } from "@ci/testkit/not-run";
import { anAssignment } from "./_assignment.js";
import { bootRunner } from "./_suite.js";

const image = process.env.CI_TEST_IMAGE;
if (!image) notRun("a parallel stage with the docker driver", "no Docker Engine");
const types = image ? (["os", "docker"] as const) : (["os"] as const);
const { run } = bootRunner({ drivers: [...types] });

/** Returns a command that ends once all these jobs run. */
const meet = (mine: string, all: readonly string[]) =>
  `touch ${mine}; for one in ${all.join(" ")}; do until [ -e $one ]; do sleep 0.1; done; done`;

test.each(types)("three jobs of a parallel stage run at the same time with the driver %s", async (type) => {
  const driver = { type, image: image ?? "", workspace: "/w", pullAlways: false, keepOnFailureMinutes: 0 };
  const commands = ["a", "b", "c"].map((mine, _index, all) => [meet(mine, all)]);
  const { jobs, ...assignment } = anAssignment({ driver }, ...commands);
  const build = await run({ ...assignment, jobs: jobs.map((job, index) => ({ ...job, parallel: index > 0 })) });
  expect(build.outcomes).toEqual(["passed", "passed", "passed", "passed"]);
});
