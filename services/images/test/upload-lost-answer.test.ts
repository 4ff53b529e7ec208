import { userScope } from "@ci/access/record-scope";
import { blobs } from "@ci/kit/bytes/blobs";
import { openMongo } from "@ci/kit/mongo/mongo";
import { aDisk } from "@ci/testkit/a-disk";
import { startAccounts } from "@ci/testkit/accounts";
import { suite } from "@ci/testkit/suite";
import { imageStore } from "../src/store/images.js";
import { bootImages, refusal, testLimits } from "./_suite.js";

const names = suite();

test("an image keeps its content if the database's reply to the insert was lost", async () => {
  await using accounts = await startAccounts(names);
  await using mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_images`);
  const images = imageStore(mongo.db, () => {}, testLimits);
  const insert: typeof images.insert = async (doc) => {
    await images.insert(doc);
    throw new Error("the connection broke");
  };
  await using service = await bootImages(names, accounts.address, {}, { images: { ...images, insert } });
  const ada = await accounts.aUser("ada");
  const content = aDisk({ sizeBytes: 100_000 });
  expect(await refusal(service.upload(ada, "disk", content))).toBe("internal");
  const stored = await images.named(userScope(ada.id), "disk");
  expect(await service.read(ada, stored!._id)).toEqual(content);
});

test("an upload leaves no content behind if the check of its content breaks off", async () => {
  await using accounts = await startAccounts(names);
  const mongoDb = `${names.mongoDb}_checked`;
  await using mongo = await openMongo(names.mongoUrl, `${mongoDb}_images`);
  const get = () => {
    throw new Error("the client has gone");
  };
  const contents = { ...blobs(mongo.db, "contents"), get };
  await using service = await bootImages({ ...names, mongoDb }, accounts.address, {}, { contents });
  const ada = await accounts.aUser("grace");
  expect(await refusal(service.upload(ada, "disk", aDisk({ sizeBytes: 100_000 })))).toBe("internal");
  expect(await service.storedCounts()).toEqual({ images: 0, files: 0, chunks: 0, uploads: 0 });
});
