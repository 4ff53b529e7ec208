import { termsOf } from "@ci/kit/mongo/search";
import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { examined } from "@ci/testkit/examined";
import type { ImageDoc } from "../src/domain/image.js";
import { as, imagesSuite } from "./_suite.js";

// A list's cost, in index keys and documents read, must not grow with the number of images.
const service = imagesSuite();
let ada: User;
let namespaceId: number;

beforeAll(async () => {
  ada = await service.aUser();
  await service.upload(ada, "disk", aDisk(), "team");
  namespaceId = (await service.aNamespace(ada, "team")).id;
  const images = service.db.collection<ImageDoc>("images");
  const image = (await images.findOne({ userId: ada.id }))!;
  const docs = Array.from({ length: 2_000 }, (_, n) => {
    const name = `disk${n}${n % 400 === 200 ? "needle" : ""}`;
    return { ...image, _id: 10_000 + n, name, terms: termsOf([name]), outbox: [] };
  });
  await images.insertMany(docs);
});

const list = (search: string, of: { namespaceId?: number }) =>
  runAs(as(ada), () => service.client.listImages({ ...of, search, page: { number: 1 } }));

describe("a list of images", () => {
  it.each([
    ["without a search", "", 25],
    ["with a search that matches all", "DISK", 25],
    ["with a search that matches few", "needle", 5],
    ["with a search that matches none", "nowhere", 0],
  ])("%s reads only what it returns", async (_, search, shown) => {
    for (const place of [{}, { namespaceId }]) {
      const queries = await examined(service.db, "images", async () => {
        expect((await list(search, place)).images).toHaveLength(shown);
      });
      expect(queries).toHaveLength(1);
      for (const query of queries) {
        expect(query).toMatchObject({ sortedInMemory: false });
        expect(Math.max(query.keys, query.docs)).toBeLessThanOrEqual(shown + 2);
      }
    }
  });
});
