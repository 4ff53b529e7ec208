import { eventually } from "@ci/testkit/eventually";
import { type Answer, type Received, receiver } from "@ci/testkit/receiver";
import { aBuild, bootWebhooks } from "./_suite.js";

const slots = 4;
// No attempt ends or is repeated because the machine is slow.
const ci = bootWebhooks({ concurrency: slots, pausesMs: [3_600_000] });

const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);
const pathsOf = (requests: readonly Received[]) => requests.map(({ path }) => path).sort();

/** Creates webhooks whose deliveries all become due at the same moment. */
async function webhooksAt(urls: readonly string[]) {
  const namespace = await ci.aNamespace();
  const webhooks = await Promise.all(urls.map((url) => ci.aWebhook(namespace, url)));
  return { webhooks, submit: (number: number) => ci.publishBuild("build.submitted", aBuild(namespace.id, { number })) };
}

test("more webhooks are due at once than may be sent to, and each delivery arrives", async () => {
  await using inbox = await receiver();
  const paths = upTo(5 * slots).map((nth) => `/${nth}`);
  const { submit } = await webhooksAt(paths.map((path) => `${inbox.url}${path}`));
  for (const number of upTo(3)) await submit(number);
  await eventually(() => expect(pathsOf(inbox.requests)).toEqual(paths.flatMap((path) => [path, path, path]).sort()), {
    progress: () => inbox.requests.length,
  });
});

test("deliveries that a stopped process left for more webhooks than slots are sent", async () => {
  await using inbox = await receiver();
  const paths = upTo(5 * slots).map((nth) => `/${nth}`);
  const { webhooks, submit } = await webhooksAt(paths.map((path) => `${inbox.url}${path}`));
  await ci.restart(() => submit(1));
  await eventually(() => expect(pathsOf(inbox.requests)).toEqual(paths.toSorted()), {
    progress: () => inbox.requests.length,
  });
  for (const webhook of webhooks.slice(0, 2)) expect(await ci.settled(webhook, 1)).toHaveLength(1);
});

test("a webhook that shares its slot sends a test before a long backlog of first attempts ends", async () => {
  await using inbox = await receiver();
  const paths = upTo(2 * slots).map((nth) => `/${nth}`);
  const { webhooks, submit } = await webhooksAt(paths.map((path) => `${inbox.url}${path}`));
  const received = () => inbox.requests.filter(({ path }) => path === paths[0]);
  const submitting = Promise.all(upTo(400).map(submit));
  await eventually(() => expect(received().length).toBeGreaterThan(0));
  const [{ namespaceId, id: webhookId }] = webhooks as [(typeof webhooks)[number]];
  await ci.as(ci.users.bob, () => ci.webhooks.testWebhook({ namespaceId, webhookId, event: "cron" }));
  const before = received().length;
  await submitting;
  await eventually(() => expect(received()).toHaveLength(401), { progress: () => inbox.requests.length });
  const tested = received().findIndex(({ headers }) => headers["x-service-ci-test"] !== undefined);
  expect(tested - before).toBeLessThan(200);
});

test("receivers that hang in every slot hold up the others for one attempt each", async () => {
  await using inbox = await receiver();
  const endings: ((answer: Answer) => void)[] = [];
  await using hanging = await receiver({ answer: () => new Promise((end) => endings.push(end)) });
  const hung = upTo(2 * slots).map((nth) => `${hanging.url}/${nth}`);
  const healthy = upTo(2 * slots).map((nth) => `/${nth}`);
  const { submit } = await webhooksAt([...hung, ...healthy.map((path) => `${inbox.url}${path}`)]);
  for (const number of upTo(2)) await submit(number);
  // A user has half of the slots.
  await eventually(() => expect(hanging.requests).toHaveLength(slots / 2));
  await eventually(
    () => {
      for (const end of endings.splice(0)) end({ status: 500 });
      expect(pathsOf(inbox.requests)).toEqual(healthy.flatMap((path) => [path, path]).sort());
    },
    { progress: () => inbox.requests.length + Math.min(hanging.requests.length, 2 * hung.length) },
  );
  const attempts = pathsOf(hanging.requests);
  for (const path of attempts) expect(attempts.filter((other) => other === path).length).toBeLessThanOrEqual(2);
});
