import { eventually } from "@ci/testkit/eventually";
import { type Answer, receiver } from "@ci/testkit/receiver";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks({ patchWaitMs: 100 });

test.each([
  ["succeeds", 200, ["delivered", "cancelled"]],
  ["fails and is not retried", 500, ["cancelled", "cancelled"]],
])(
  "a change stops waiting after a time and cancels attempts that have not begun, while the running attempt %s",
  async (_, status, expected) => {
    const waiting: ((answer: Answer) => void)[] = [];
    await using inbox = await receiver({ answer: () => new Promise((done) => waiting.push(done)) });
    const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url);
    for (const kind of ["build.submitted", "build.started"]) await ci.publishBuild(kind, aBuild(webhook.namespaceId));
    await eventually(async () => {
      expect(waiting).toHaveLength(1);
      expect(await ci.deliveries(webhook)).toHaveLength(2);
    });
    const request = { namespaceId: webhook.namespaceId, id: webhook.id, removeSecret: false, active: false };
    await ci.as(ci.users.bob, () => ci.webhooks.updateWebhook(request));
    waiting[0]!({ status });
    await eventually(async () => {
      const found = await ci.deliveries(webhook);
      expect(found.map((delivery) => [delivery.status, delivery.attemptCount])).toEqual(
        expected.map((status, nth) => [status, nth === 0 ? 1 : 0]),
      );
    });
    expect(inbox.requests).toHaveLength(1);
  },
);
