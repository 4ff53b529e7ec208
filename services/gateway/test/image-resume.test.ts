import { openMongo } from "@ci/kit/mongo";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import { startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";
import { aBreakingServer } from "../../images/test/a-breaking-server.js";

const names = suite();
const MiB = 1024 ** 2;
const patience = { withinMs: 60_000 };
const content = aDisk({ sizeBytes: 8 * MiB + 99 });

it("after a kill -9 in the middle of a download only the rest is asked for, and all of it is there", async () => {
  await using on = await startProcesses(names, { DOWNLOAD_LEASE: "2s" });
  await using mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_images`);
  const stored = () => mongo.db.collection("contents.chunks").estimatedDocumentCount();
  const etag = '"one"';
  await using server = await aBreakingServer({ content, etag, silentAfter: 5 * MiB + 1 }, { content, etag });
  const { json: image } = await on.api.post("/images", { name: "killed", download_url: server.url });
  await eventually(async () => expect(await stored()).toBe(5), patience);
  await on.kill("images");
  await on.start("images");
  await eventually(async () => {
    const { json } = await on.api.get(image.url);
    expect(json.download).toMatchObject({ error: null, received: content.length, total: content.length });
    expect(json.download.finished_at).not.toBeNull();
  }, patience);
  expect(server.asked()).toEqual([
    [undefined, undefined],
    [`bytes=${4 * MiB}-`, etag],
  ]);
  const got = await on.api.get(image.url, { accept: "application/x-qemu-disk" });
  expect(got.bytes.equals(content)).toBe(true);
  expect(await stored()).toBe(9);
  await eventually(async () => expect(await mongo.db.collection("contents.uploads").estimatedDocumentCount()).toBe(0));
});
