import { request } from "node:http";
import { openMongo } from "@ci/kit/mongo/mongo";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";
import { aBreakingServer } from "../../images/test/_breaking-server.js";

const names = suite();
const MiB = 1024 ** 2;
const content = aDisk({ sizeBytes: 8 * MiB + 99 });
let on: Processes;
let mongo: Awaited<ReturnType<typeof openMongo>>;

beforeAll(async () => {
  on = await startProcesses(names, { DOWNLOAD_LEASE: "1h" });
  mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_images`);
});
afterAll(async () => {
  await mongo?.[Symbol.asyncDispose]();
  await on?.[Symbol.asyncDispose]();
});

const images = () => mongo.db.collection<{ _id: number }>("images");
/** Counts the documents of files, chunks and marks. */
const stored = () =>
  Promise.all(
    ["files", "chunks", "uploads"].map((part) => mongo.db.collection(`contents.${part}`).estimatedDocumentCount()),
  );

it("an upload that breaks off leaves nothing behind", async () => {
  const headers = { Authorization: `Bearer ${on.token}`, "Content-Length": content.length };
  const sending = request(`${on.origin}/images?name=cut`, { method: "POST", headers }).on("error", () => undefined);
  sending.write(content.subarray(0, 3 * MiB));
  await eventually(async () => expect((await stored())[1]).toBeGreaterThan(0));
  sending.destroy();
  await eventually(async () => expect(await stored()).toEqual([0, 0, 0]));
  expect((await on.api.get("/images?search=cut")).json).toEqual([]);
});

it("after a kill -9 in mid-download only the rest is requested, and the image is complete", async () => {
  const etag = '"one"';
  await using server = await aBreakingServer({ content, etag, silentAfter: 5 * MiB + 1 }, { content, etag });
  const { json: image } = await on.api.post("/images", { name: "killed", download_url: server.url });
  await eventually(async () => expect(await stored()).toEqual([0, 5, 1]));
  await on.kill("images");
  // Expires the lease.
  const dueAt = { $set: { "fetch.dueAt": new Date(0) } };
  expect(await images().updateOne({ _id: image.id }, dueAt)).toMatchObject({ modifiedCount: 1 });
  await on.start("images");
  await eventually(async () => {
    const { json } = await on.api.get(image.url);
    expect(json.download).toMatchObject({ error: null, received: content.length, total: content.length });
    expect(json.download.finished_at).not.toBeNull();
  });
  expect(server.ranges()).toEqual([
    [undefined, undefined],
    [`bytes=${4 * MiB}-`, etag],
  ]);
  const got = await on.api.get(image.url, { accept: "application/x-qemu-disk" });
  expect(got.bytes.equals(content)).toBe(true);
  await eventually(async () => expect(await stored()).toEqual([1, 9, 0]));
}, 300_000);
