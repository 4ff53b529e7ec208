import { openMongo } from "@ci/kit/mongo/mongo";
import { runAs } from "@ci/kit/rpc/caller";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import { gate, idsBehind } from "@ci/testkit/gate";
import { as, bootImages, imagesSuite } from "./_suite.js";

const service = imagesSuite();

test.each(["upload", "download"] as const)(
  "an image created by %s moves to its user if its namespace is deleted meanwhile",
  async (method) => {
    const user = await service.aUser();
    const witness = await service.upload(user, "witness", aDisk(), "late");
    const namespaceId = witness.namespaceId!;
    const images = service.db.collection<{ _id: number }>("images");
    const isReleased = (id: number) =>
      eventually(async () => expect(await images.findOne({ _id: id })).not.toHaveProperty("namespaceId"));

    const stall = gate();
    await using mongo = await openMongo(service.suite.mongoUrl, service.db.databaseName);
    await using late = await bootImages(
      service.suite,
      service.accounts.address,
      {},
      { db: idsBehind(stall, mongo.db) },
    );
    const creating =
      method === "upload"
        ? late.upload(user, "late", aDisk(), "late")
        : late.download(user, "https://127.0.0.1:1/disk", "late", "late");
    await Promise.race([stall.reached, creating]);
    await service.deleteNamespace(user, namespaceId);
    await isReleased(witness.id);
    // From here on, only the recheck of the stalled replica can find the image.
    const never = { $set: { sweepAt: new Date("2999-01-01") } };
    await service.db.collection("deletions").updateMany({ sweepAt: { $exists: true } }, never);
    stall.open();
    const { id } = await creating;
    await isReleased(id);
    const { images: listed } = await runAs(as(user), () => late.client.listImages({ search: "", page: undefined }));
    expect(listed.map((image) => image.id)).toContain(id);
  },
);
