import { connectBus } from "@ci/kit/bus/bus";
import { openMongo } from "@ci/kit/mongo/mongo";
import { parseAllow } from "@ci/kit/net/guard";
import { createLog } from "@ci/kit/process/log";
import { type Caller, runAs } from "@ci/kit/rpc/caller";
import { Fault } from "@ci/kit/rpc/fault";
import type { Event } from "@ci/proto/events/v1/events";
import { type Image, ImageServiceDefinition, type ReadImageRequest } from "@ci/proto/images/v1/images";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { serviceSettings, startAccounts, testKeyring } from "@ci/testkit/accounts";
import { distinctEvents } from "@ci/testkit/collect-events";
import { eventually } from "@ci/testkit/eventually";
import { connect } from "@ci/testkit/identities";
import { limitOf, storageOf } from "@ci/testkit/quotas";
import { type Suite, suite } from "@ci/testkit/suite";
import { uploadMessages } from "@ci/testkit/uploads";
import type { Config } from "../src/config.js";
import type { Context } from "../src/context.js";
import type { ImageDoc } from "../src/domain/image.js";
import { start } from "../src/service.js";

export const MiB = 1024 * 1024;

/** Returns a caller as the gateway sends it. A caller without a user is another service. */
export const as = (user?: Pick<User, "id">): Caller => ({ userId: user?.id, requestId: "test" });

export const testLimits = { imagesPerNamespace: limitOf("Images", "namespace"), imageStorage: storageOf("images") };

/** Returns settings with a suite's database and subjects. Downloads from this machine are allowed. */
const testConfig = (suite: Suite, namespacesAddr: string, changes: Partial<Config>): Config => ({
  ...serviceSettings(suite, "images"),
  namespacesAddr,
  keyring: testKeyring,
  imageBytes: 5 * MiB,
  ...testLimits,
  virtualBytes: 64 * 1024 ** 3,
  downloadTimeoutMs: 600_000,
  downloadStallMs: 600_000,
  downloadAttempts: 5,
  downloadRedirects: 5,
  downloadPauseMs: 1,
  // Long enough that a slow machine loses no lease.
  downloadLeaseMs: 600_000,
  // One user gets half of them.
  downloadConcurrency: 4,
  path: process.env.PATH!,
  allow: parseAllow("127.0.0.1"),
  ...changes,
});

/** Returns why a call was refused: its fields' complaints, or the code. */
export async function refusal(call: Promise<unknown>): Promise<unknown> {
  const thrown = await call.then(
    (answer) => answer,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Fault)) throw new Error("Expected a fault", { cause: thrown });
  return thrown.code === "invalid" ? thrown.fields : thrown.code;
}

/** Boots the service on a free port. Returns its client, its database and helpers. */
export async function bootImages(
  suite: Suite,
  namespacesAddr: string,
  changes: Partial<Config> = {},
  overrides: Partial<Context> = {},
) {
  const config = testConfig(suite, namespacesAddr, changes);
  const service = await start(config, overrides);
  const peer = connect(`127.0.0.1:${service.port}`);
  const mongo = await openMongo(config.mongoUrl, config.mongoDb);
  const client = peer.client(ImageServiceDefinition);
  return {
    client,
    db: mongo.db,

    async upload(user: User, ...args: Parameters<typeof uploadMessages>): Promise<Image> {
      return (await runAs(as(user), () => client.uploadImage(uploadMessages(...args)))).image!;
    },
    async download(user: User, downloadUrl: string, name = "disk", namespace = ""): Promise<Image> {
      return (await runAs(as(user), () => client.downloadImage({ name, namespace, downloadUrl }))).image!;
    },
    async get(user: User, id: number): Promise<Image> {
      return (await runAs(as(user), () => client.getImage({ id }))).image!;
    },
    async read(user: User | undefined, id: number, more: Omit<ReadImageRequest, "id"> = {}): Promise<Buffer> {
      const parts: Uint8Array[] = [];
      const chunks = runAs(as(user), () => client.readImage({ id, ...more })[Symbol.asyncIterator]());
      for (;;) {
        const step = await runAs(as(user), () => chunks.next());
        if (step.done) return Buffer.concat(parts);
        parts.push(step.value.chunk);
      }
    },
    remove: (user: User, id: number) => runAs(as(user), () => client.deleteImage({ id })),

    /** Waits for the end of the download and returns the image. */
    finished(user: User, { id }: Image): Promise<Image> {
      return eventually(async () => {
        const { image } = await runAs(as(user), () => client.getImage({ id }));
        expect(image?.download?.finishedAt).toBeInstanceOf(Date);
        return image!;
      });
    },

    /** Counts everything that creating an image stores. */
    async storedCounts(): Promise<Record<string, number>> {
      const images = await mongo.db.collection<ImageDoc>("images").countDocuments({
        _id: { $gt: 0 },
        deletedAt: { $exists: false },
      });
      const parts = ["files", "chunks", "uploads"].map(async (part) => [
        part,
        await mongo.db.collection(`contents.${part}`).estimatedDocumentCount(),
      ]);
      return { images, ...Object.fromEntries(await Promise.all(parts)) };
    },

    async [Symbol.asyncDispose]() {
      await mongo[Symbol.asyncDispose]();
      await peer[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

export type Booted = Awaited<ReturnType<typeof bootImages>>;
type Accounts = Awaited<ReturnType<typeof startAccounts>>;

/** Boots the images and namespaces services for the tests of a file. */
export function imagesSuite(changes: Partial<Config> = {}, overrides: Partial<Context> = {}) {
  const names = suite();
  const { events, collect } = distinctEvents();
  const booted = { suite: names, events } as { suite: Suite; events: Event[]; accounts: Accounts } & Booted;
  const parts: AsyncDisposable[] = [];
  let users = 0;
  const apart = { ...names, mongoDb: `${names.mongoDb}_apart`, subjectPrefix: `${names.subjectPrefix}_apart` };
  beforeAll(async () => {
    const accounts = await startAccounts(names);
    const service = await bootImages(names, accounts.address, changes, overrides);
    const bus = await connectBus(names.natsUrl, names.subjectPrefix, "tests", createLog("tests", "silent"));
    await bus.subscribe("tests", [">"], async (event) => collect(event));
    parts.push(accounts, service, bus);
    Object.assign(booted, service, { accounts });
  });
  afterAll(async () => {
    for (const part of parts.reverse()) await part[Symbol.asyncDispose]();
  });
  return Object.assign(booted, {
    aUser: () => booted.accounts.aUser(`user${++users}`),
    aNamespace: (owner: User, path: string) => booted.accounts.aNamespace(owner, path),

    /** Boots another images service with its own database and subjects. */
    bootAnother: (changes?: Partial<Config>, overrides?: Partial<Context>) =>
      bootImages(apart, booted.accounts.address, changes, overrides),

    deleteNamespace: (user: User, namespaceId: number) =>
      runAs(as(user), () => booted.accounts.namespaces.deleteNamespace({ id: namespaceId })),

    /** Makes a user a collaborator through an invite. */
    async addCollaborator(user: User, owner: User, namespaceId: number): Promise<void> {
      const { namespaces } = booted.accounts;
      const { invite } = await runAs(as(owner), () => namespaces.sendInvite({ namespaceId, handle: user.username }));
      await runAs(as(user), () => namespaces.acceptInvite({ id: invite!.id }));
    },

    /** Waits for at least this many events of one image and returns all of them. */
    eventsOf: (id: number, count: number): Promise<Event[]> =>
      eventually(() => {
        const found = events.filter(({ body }) => body?.$case === "image" && body.value.image?.id === id);
        expect(found.length).toBeGreaterThanOrEqual(count);
        return found;
      }),
  });
}
