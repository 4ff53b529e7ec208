import { QueueServiceDefinition } from "@ci/proto/builds/v1/queue";
import { ImageServiceDefinition } from "@ci/proto/images/v1/images";
import { aDisk } from "@ci/testkit/a-disk";
import { aBuild, aManifest, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { connect } from "@ci/testkit/identities";

// A runner claims builds of virtual machines, and asks for the images that they may use.

const ci = constellation();
let ann: SignedUp;
let queue: ReturnType<typeof clients>["queue"];
let images: ReturnType<typeof clients>["images"];
const peers: AsyncDisposable[] = [];

function clients() {
  const [builds, stored] = [connect(ci.addresses.builds), connect(ci.addresses.images)];
  peers.push(builds, stored);
  return { queue: builds.client(QueueServiceDefinition), images: stored.client(ImageServiceDefinition) };
}
beforeAll(async () => {
  ann = await ci.signUp();
  ({ queue, images } = clients());
});
afterAll(async () => {
  for (const peer of peers) await peer[Symbol.asyncDispose]();
});

const machine = { driver: { type: "qemu", image: "disk" } };

async function upload(namespace: string): Promise<{ id: number; url: string }> {
  const query = `/images?name=disk&namespace=${encodeURIComponent(namespace)}`;
  return created(await ann.send("POST", query, { body: aDisk() }));
}

/** Claims the next build and returns the id of the image that it boots, whose content its runner can read. */
async function bootedImage(): Promise<number | undefined> {
  const { assignment } = await queue.claimBuild({ runnerId: "r", drivers: ["qemu"] });
  const ticket = assignment!.imageTicket!;
  const { image } = await images.findImage({ ticket });
  if (!image) return undefined;
  const parts: Uint8Array[] = [];
  for await (const { chunk } of images.readImage({ id: image.id, ticket })) parts.push(chunk);
  expect(Buffer.concat(parts).equals(aDisk())).toBe(true);
  return image.id;
}

test("a build boots the image of the nearest namespace above it, then its user's", async () => {
  const top = aWord("ns");
  const own = await upload("");
  const above = await upload(top);
  const between = await upload(`${top}/mid`);
  const namespace = `${top}/mid/low`;
  const boot = async (text = aBuild({ ...machine, namespace })) => {
    created(await ann.post("/builds", text));
    return bootedImage();
  };
  expect(await boot()).toBe(between.id);
  await ann.delete(between.url);
  expect(await boot()).toBe(above.id);
  const cron = created(await ann.post("/cron", { name: aWord(), manifest: aManifest({ ...machine, namespace }) }));
  const run = async () => {
    created(await ann.post(`${cron.url}/run`, {}));
    return bootedImage();
  };
  expect(await run()).toBe(above.id);
  await ann.delete(above.url);
  expect(await boot()).toBe(own.id);
  expect(await run()).toBeUndefined();
});
