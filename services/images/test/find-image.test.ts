import { type NamedImage, writeTicket } from "@ci/access/image-ticket";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { testKeyring } from "@ci/testkit/accounts";
import { imagesSuite, refusal } from "./_suite.js";

const service = imagesSuite();
let ada: User;
beforeEach(async () => {
  ada = await service.aUser();
});

const minuteMs = 60_000;
const ticketOf = (named: Partial<NamedImage>, forMs = minuteMs) =>
  writeTicket(
    testKeyring,
    { name: "disk", userId: ada.id, namespaceOnly: false, ...named },
    new Date(Date.now() + forMs),
  );
const find = async (named: Partial<NamedImage>) => (await service.client.findImage({ ticket: ticketOf(named) })).image;

describe("succeeds", () => {
  test("prefers the namespace's image to the user's own", async () => {
    const own = await service.upload(ada, "disk", aDisk());
    const inNamespace = await service.upload(ada, "disk", aDisk(), "tree");
    const { namespaceId } = inNamespace;
    expect(await find({ namespaceId })).toEqual(inNamespace);
    expect(await find({})).toEqual(own);
    await service.remove(ada, inNamespace.id);
    expect(await find({ namespaceId })).toEqual(own);
    expect(await find({ namespaceId, namespaceOnly: true })).toBeUndefined();
  });

  test("prefers the nearest namespace's image, and ignores those beside and below", async () => {
    const own = await service.upload(ada, "disk", aDisk());
    const top = await service.upload(ada, "disk", aDisk(), "top");
    const mid = await service.upload(ada, "disk", aDisk(), "top/mid");
    const { id: namespaceId, ancestorIds } = await service.aNamespace(ada, "top/mid/low");
    for (const place of ["top/mid/low/est", "top/other", "other"]) await service.upload(ada, "disk", aDisk(), place);
    const found = async (namespaceOnly = false) => (await find({ namespaceId, ancestorIds, namespaceOnly }))?.id;
    expect(await found()).toBe(mid.id);
    await service.remove(ada, mid.id);
    expect(await found()).toBe(top.id);
    expect(await found(true)).toBe(top.id);
    await service.remove(ada, top.id);
    expect(await found()).toBe(own.id);
    expect(await found(true)).toBeUndefined();
  });

  test("looks in no parent namespace if the ticket names none, as those of older versions", async () => {
    await service.upload(ada, "disk", aDisk(), "tree");
    const child = await service.aNamespace(ada, "tree/child");
    expect(await find({ namespaceId: child.id })).toBeUndefined();
  });

  test("finds a download without content", async () => {
    const image = await service.download(ada, "https://images.test/disk");
    expect(await find({})).toMatchObject({ id: image.id, size: undefined });
  });

  test("returns nothing for an unknown name", async () => {
    await service.upload(ada, "disk", aDisk());
    expect(await find({ name: "Disk" })).toBeUndefined();
  });
});

test("refuses a runner without a valid ticket", async () => {
  await service.upload(ada, "disk", aDisk());
  for (const ticket of ["", ticketOf({}).slice(0, -4), ticketOf({}, -minuteMs)])
    expect(await refusal(service.client.findImage({ ticket }))).toBe("forbidden");
});
