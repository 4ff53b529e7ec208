import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { accountQuotas, storageOf } from "@ci/testkit/quotas";
import { suite } from "@ci/testkit/suite";
import { uploadMessages } from "@ci/testkit/uploads";
import { bootResources, refusal } from "./_resources.js";
import { as } from "./_suite.js";

const names = suite();
let ci: Awaited<ReturnType<typeof bootResources>>;
let ada: User;
let bob: User;

beforeAll(async () => {
  ci = await bootResources(names, { quotas: { ...accountQuotas, objectStorage: storageOf("objects", 10_000) } });
});
beforeEach(async () => {
  ada = await ci.aUser();
  bob = await ci.aUser();
});
afterAll(() => ci?.close());

const put = async (user: User, name: string, bytes: number, namespace = "") =>
  (await runAs(as(user.id), () => ci.objects.uploadObject(uploadMessages(name, Buffer.alloc(bytes), namespace))))
    .object!;
const remove = (user: User, id: number) => runAs(as(user.id), () => ci.objects.deleteObject({ id }));
const full = (used: string) => ({
  file: [
    `File exceeds the storage quota of 9.77 KiB per user for objects, ${used} are used: delete objects to free space`,
  ],
});

test("an object beyond the quota leaves nothing behind, and a deletion frees its bytes", async () => {
  const large = await put(ada, "large", 8_000);
  expect(await refusal(put(ada, "beyond", 2_001))).toEqual(full("7.81 KiB"));
  await put(ada, "last", 2_000);
  expect(await refusal(put(ada, "one", 1))).toEqual(full("9.77 KiB"));
  await remove(ada, large.id);
  expect(await refusal(put(ada, "beyond", 8_001))).toEqual(full("1.95 KiB"));
  await put(ada, "again", 8_000);
  expect(
    await ci.db.collection("objects.files").countDocuments({ length: { $in: [2_001, 8_001, 1] } }, { hint: "_id_" }),
  ).toBe(0);
});

test("an upload is cut off as soon as it exceeds what is left", async () => {
  await put(ada, "most", 9_000);
  let sent = 0;
  async function* endless() {
    for await (const message of uploadMessages("endless", Buffer.alloc(5_000_000))) {
      sent++;
      yield message;
    }
  }
  expect(await refusal(runAs(as(ada.id), () => ci.objects.uploadObject(endless())))).toEqual(full("8.79 KiB"));
  expect(sent).toBeLessThan(70);
});

test("objects in a namespace count for its owner, and stay theirs when the namespace is deleted", async () => {
  const { id } = await ci.aNamespace(ada, "shared");
  await ci.addCollaborator(bob, ada, id);
  await put(bob, "theirs", 9_000, `shared@${ada.username}`);
  await put(bob, "own", 9_000);
  expect(await refusal(put(bob, "more", 1_001, `shared@${ada.username}`))).toEqual(full("8.79 KiB"));
  expect(await refusal(put(ada, "more", 1_001))).toEqual(full("8.79 KiB"));
  // The namespace does not exist, and is not created either.
  expect(await refusal(put(bob, "more", 1_001, `shared/new@${ada.username}`))).toEqual(full("8.79 KiB"));
  const list = { search: "", page: undefined };
  const { namespaces } = await runAs(as(ada.id), () => ci.namespaces.listNamespaces(list));
  expect(namespaces.map(({ path }) => path)).toEqual(["shared"]);
  await runAs(as(ada.id), () => ci.namespaces.deleteNamespace({ id }));
  expect(await refusal(put(ada, "more", 1_001))).toEqual(full("8.79 KiB"));
});

test("concurrent uploads stay within the quota", async () => {
  const uploads = Array.from({ length: 10 }, (_, nth) => put(ada, `o${nth}`, 3_000));
  const results = await Promise.allSettled(uploads);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
});
