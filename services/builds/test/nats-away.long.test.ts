import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault, manifest } from "./_suite.js";

// Nothing listens there: events wait in their outboxes.
const suite = bootBuilds({ natsUrl: "nats://127.0.0.1:1" });

const large = `${manifest}\n${'# a "quoted" line that makes the manifest long\n'.repeat(19_000)}`;

it("a build with a large manifest ends however many events wait, and all are published with the manifest", async () => {
  const { ann } = suite.users;
  const build = await suite.submit(ann, large);
  const ref = { userId: build.userId, number: build.number };
  const pin = (pinned: boolean) => suite.as(ann, () => suite.builds.pinBuild({ ref, pinned }));
  const assignment = (await suite.claim())!;
  for (let times = 0; times < 20; times++) await pin(times % 2 === 0);
  // Each control character takes six in JSON.
  const text = "\u0001".repeat(64 * 1024);
  await suite.queue.appendOutput({ ...assignment, jobId: assignment.jobs[0]!.id, offset: 0, text });
  let pins = 20;
  let refused: unknown;
  while (!refused && pins < 60) await pin(pins++ % 2 === 0).catch((error) => (refused = error));
  expect(refused).toMatchObject({ code: "unavailable" });
  const tag = () => suite.as(ann, () => suite.builds.tagBuild({ ref, names: ["late"] }));
  expect(await fault(tag())).toMatchObject({ code: "unavailable" });

  for (const index of [0, 1, 2]) await suite.finish(assignment, index, "passed", "", text.length);
  const ended = await suite.as(ann, () => suite.builds.getBuild({ ref, brief: false }));
  expect(ended.build!.status).toBe("passed");

  const service = await suite.startService({}, { natsUrl: suite.names.natsUrl });
  await eventually(() => expect(suite.kinds(build.id).at(-1)).toBe("build.finished"));
  const events = suite.events.filter((event) => event.buildId === build.id);
  // One attempt was refused.
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: pins - 1 + 3 }, (_, nth) => nth + 1));
  for (const { body } of events) expect(body?.$case === "build" && body.value.manifest === large).toBe(true);
  await pin(pins % 2 === 0);
  await service[Symbol.asyncDispose]();
});

it("a cron job with a large manifest is deleted however many events wait", async () => {
  const { bob } = suite.users;
  const as = <T>(work: () => Promise<T>) => suite.as(bob, work);
  const { cron } = await as(() => suite.crons.createCron({ name: "c", schedule: "daily", manifest: large }));
  const rename = (times: number) => as(() => suite.crons.updateCron({ id: cron!.id, name: `c${times}` }));
  let refused: unknown;
  for (let times = 0; !refused && times < 20; times++) await rename(times).catch((error) => (refused = error));
  expect(refused).toMatchObject({ code: "unavailable" });
  await as(() => suite.crons.deleteCron({ id: cron!.id }));
  expect(await fault(as(() => suite.crons.getCron({ id: cron!.id })))).toMatchObject({ code: "not_found" });
});
