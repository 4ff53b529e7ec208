import { limitOf } from "@ci/testkit/quotas";
import { bootWebhooks } from "./_suite.js";

const max = 3;
const ci = bootWebhooks({ webhooksPerUser: limitOf("Webhooks", "user", max) });

test("concurrent requests create as many webhooks as a user may have, in all namespaces together", async () => {
  const namespaces = [await ci.aNamespace(), await ci.aNamespace()];
  const add = (nth: number) => ci.aWebhook(namespaces[nth % 2]!, `https://example.com/${nth}`);
  const results = await Promise.allSettled(Array.from({ length: 4 * max }, (_, nth) => add(nth)));
  const created = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  expect(created).toHaveLength(max);
  const complaint = { code: "invalid", fields: { webhooks: ["Webhooks cannot exceed 3 per user; delete one first"] } };
  await expect(add(20)).rejects.toMatchObject(complaint);
  const { namespaceId, id } = created[0]!;
  await ci.as(ci.users.bob, () => ci.webhooks.deleteWebhook({ namespaceId, id }));
  await add(20);
  await expect(add(21)).rejects.toMatchObject(complaint);
});
