import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { type SharedPayloads, sharedPayloads } from "../src/delivery/shared-payloads.js";
import { type PayloadDoc, payloadStore } from "../src/store/payloads.js";
import { aBuild, bootWebhooks } from "./_suite.js";

let stored: SharedPayloads;
let asked = 0;
let answer = () => {};
const answered = new Promise<void>((resolve) => {
  answer = resolve;
});

/** A database that takes its time to return payloads. */
const slow: SharedPayloads = {
  store: (texts) => stored.store(texts),
  async read(delivery) {
    asked++;
    await answered;
    return stored.read(delivery);
  },
};
const ci = bootWebhooks({}, { sharedPayloads: slow });

beforeAll(() => {
  stored = sharedPayloads(payloadStore(ci.db.collection<PayloadDoc>("payloads")));
});

test("no attempt to the old address begins after a change was confirmed, however long the payload takes", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const [changed, other] = [
    await ci.aWebhook(namespace, `${inbox.url}/old`),
    await ci.aWebhook(namespace, `${inbox.url}/other`),
  ];
  await ci.publishBuild("build.submitted", aBuild(namespace.id, { manifest: `# ${"x".repeat(5_000)}` }));
  await eventually(() => expect(asked).toBe(2));
  const request = { namespaceId: namespace.id, id: changed.id, removeSecret: false, payloadUrl: `${inbox.url}/new` };
  await ci.as(ci.users.bob, () => ci.webhooks.updateWebhook(request));
  answer();
  await ci.settled(changed, 1);
  await ci.settled(other, 1);
  expect(inbox.requests.map(({ path }) => path).toSorted()).toEqual(["/new", "/other"]);
});
