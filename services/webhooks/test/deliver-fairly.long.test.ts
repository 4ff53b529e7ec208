import { eventually } from "@ci/testkit/eventually";
import { type Received, receiver } from "@ci/testkit/receiver";
import { aBuild, bootWebhooks } from "./_suite.js";

// Creates a thousand webhooks.
jest.setTimeout(900_000);

// Those that hang keep their slots; the others share the rest. No attempt ends because the machine is slow.
const ci = bootWebhooks({ concurrency: 256, pausesMs: [3_600_000] });
const nths = Array.from({ length: 1_000 }, (_, nth) => nth);
const isHanging = (nth: number) => nth % 10 === 0;
const pathsOf = (requests: readonly Received[]) => requests.map(({ path }) => path).sort();

test("a thousand webhooks of one namespace and another user's get their deliveries, though a hundred receivers hang", async () => {
  await using inbox = await receiver();
  await using hanging = await receiver({ answer: () => new Promise(() => {}) });
  const crowded = await ci.aNamespace();
  for (let from = 0; from < nths.length; from += 10)
    await Promise.all(
      nths
        .slice(from, from + 10)
        .map((nth) => ci.aWebhook(crowded, `${isHanging(nth) ? hanging.url : inbox.url}/${nth}`)),
    );
  const { eve } = ci.users;
  const { id: namespaceId } = await ci.accounts.aNamespace(eve, "innocent");
  const request = { namespaceId, payloadUrl: `${inbox.url}/innocent`, secret: "", ssl: false, events: [] };
  await ci.as(eve, () => ci.webhooks.createWebhook(request));
  for (const number of [1, 2]) await ci.publishBuild("build.submitted", aBuild(crowded.id, { number }));
  await ci.publishBuild("build.submitted", aBuild(namespaceId));
  const healthy = nths.filter((nth) => !isHanging(nth)).flatMap((nth) => [`/${nth}`, `/${nth}`]);
  await eventually(() => expect(pathsOf(inbox.requests)).toEqual([...healthy, "/innocent"].sort()), {
    progress: () => inbox.requests.length + hanging.requests.length,
  });
});
