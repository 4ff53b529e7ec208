import { bootWebhooks } from "./_suite.js";

const ci = bootWebhooks();

describe("succeeds", () => {
  test("returns the namespace's webhooks in order of creation, 25 a page", async () => {
    const namespace = await ci.aNamespace();
    await ci.aWebhook(await ci.aNamespace(), "https://example.com/elsewhere");
    const ids: number[] = [];
    for (let nth = 0; nth < 26; nth++) ids.push((await ci.aWebhook(namespace, `https://example.com/${nth}`)).id);
    const list = (number: number) =>
      ci.as(ci.users.ann, () => ci.webhooks.listWebhooks({ namespaceId: namespace.id, page: { number } }));
    const [first, second, third] = [await list(1), await list(2), await list(3)];
    expect([...first.webhooks, ...second.webhooks].map(({ id }) => id)).toEqual(ids);
    expect([first.webhooks.length, first.page, second.page]).toEqual([25, { hasNext: true }, { hasNext: false }]);
    expect(third).toEqual({ webhooks: [], page: { hasNext: false, lastPage: 2 } });
  });
});

describe("not_found", () => {
  test("rejects outsiders", async () => {
    const request = { namespaceId: (await ci.aNamespace()).id, page: undefined };
    await expect(ci.as(ci.users.eve, () => ci.webhooks.listWebhooks(request))).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
