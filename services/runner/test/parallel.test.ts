import { anAssignment } from "./_assignment.js";
import { bareEnvironments } from "./_environment.js";
import { deferred } from "./_subject.js";

const runIn = bareEnvironments();

/** Runs jobs of a parallel stage beside a service. The first `endTogether` of them end at the same moment. */
async function run(count: number, endTogether: number) {
  const { jobs, ...assignment } = anAssignment({}, [], ...Array.from({ length: count }, () => ["x"]));
  const [prepare, service, ...inStage] = jobs;
  const services = [{ name: "db", image: "db", variables: [], command: [] }];
  const stage = inStage.map((job) => ({ ...job, stage: "parallel", parallel: true }));
  let begun = 0;
  const together = deferred();
  return runIn(
    { ...assignment, services, jobs: [prepare!, { ...service!, service: "db" }, ...stage] },
    {
      async run() {
        if (++begun === endTogether) together.resolve();
        await together.promise;
        return 0;
      },
      async *serviceOutput() {
        yield Buffer.from("ready to accept connections\n");
      },
    },
  );
}

test.each([
  ["its jobs end together", 2, 2],
  ["more jobs wait than may run at the same time", 10, 8],
])("the output of services is sent once if %s", async (_when, count, endTogether) => {
  const build = await run(count, endTogether);
  expect([build.final, build.texts.get(1)]).toEqual(["passed", "ready to accept connections\n"]);
});
