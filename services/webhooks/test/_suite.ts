import { randomBytes } from "node:crypto";
import { type Bus, connectBus } from "@ci/kit/bus/bus";
import { type OutboxEvent, outboxEvent } from "@ci/kit/mongo/document";
import { openMongo } from "@ci/kit/mongo/mongo";
import { parseAllow } from "@ci/kit/net/guard";
import type { Service } from "@ci/kit/process/host";
import { createLog } from "@ci/kit/process/log";
import { anonymous, runAs } from "@ci/kit/rpc/caller";
import { Build, BuildServiceDefinition } from "@ci/proto/builds/v1/builds";
import type { Event } from "@ci/proto/events/v1/events";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import {
  type CreateWebhookRequest,
  type Delivery,
  type Webhook,
  WebhookServiceDefinition,
} from "@ci/proto/webhooks/v1/webhooks";
import { serviceSettings, startAccounts, testKeyring } from "@ci/testkit/accounts";
import { eventually } from "@ci/testkit/eventually";
import { connect, serveRpc } from "@ci/testkit/identities";
import { limitOf } from "@ci/testkit/quotas";
import { type Suite, suite } from "@ci/testkit/suite";
import type { Db } from "mongodb";
import type { Config } from "../src/config.js";
import type { Context } from "../src/context.js";
import { start } from "../src/service.js";

export const publicUrl = "https://ci.example.com";

export const configOf = (names: Suite, addresses: Pick<Config, "namespacesAddr" | "buildsAddr">): Config => ({
  ...serviceSettings(names, "webhooks"),
  ...addresses,
  publicUrl,
  headerPrefix: "X-Service-CI",
  timeoutMs: 600_000,
  pausesMs: [50, 50],
  logMs: 30 * 86_400_000,
  eventLogMs: 86_400_000,
  bodyLimitBytes: 64 * 1024,
  deactivateAfterMs: 5 * 86_400_000,
  secretOverlapMs: 86_400_000,
  patchWaitMs: 1_000,
  // A process that stalls does not count as dead.
  aliveMs: 600_000,
  concurrency: 32,
  webhooksPerUser: limitOf("Webhooks", "user"),
  keyring: testKeyring,
  allow: parseAllow("127.0.0.1"),
});

const { getLatestBuilds } = BuildServiceDefinition.methods;

/** Serves the method of the builds service that webhooks call, with the test's own builds. */
const serveBuilds = (builds: readonly Build[], requests: number[]) =>
  serveRpc({ listen: "127.0.0.1:0", log: createLog("builds", "silent") }, (server) => {
    server.add(
      { ...BuildServiceDefinition, methods: { getLatestBuilds } },
      {
        getLatestBuilds: async ({ namespaceIds }) => {
          requests.push(...namespaceIds);
          return { builds: builds.filter(({ namespaceId }) => namespaceIds.includes(namespaceId ?? 0)) };
        },
      },
    );
  });

/** Returns a build, as an event carries it. */
export const aBuild = (namespaceId: number | undefined, fields: Partial<Build> = {}): Build =>
  Build.fromPartial({ id: 1, userId: 1, namespaceId, number: 1, status: "queued", createdAt: new Date(), ...fields });

/** Boots the service with the real namespaces service, a clock of both that tests can advance, and `overrides`. */
export function bootWebhooks(changes: Partial<Config> = {}, overrides: Partial<Context> = {}) {
  const names = suite();
  const builds: Build[] = [];
  const buildRequests: number[] = [];
  const running: AsyncDisposable[] = [];
  const own = <T extends AsyncDisposable>(part: T): T => {
    running.push(part);
    return part;
  };
  let clockMs = 0;
  let bus: Bus;
  const booted = {
    names,
    /** The newest build of each namespace in the builds service. */
    builds,
    /** The namespaces whose newest builds were requested. */
    buildRequests,
    config: undefined as never as Config,
    /** The service's database. */
    db: undefined as never as Db,
    service: undefined as never as Service,
    users: {} as Record<"ann" | "bob" | "eve", User>,
    accounts: undefined as never as Awaited<ReturnType<typeof startAccounts>>,
    webhooks: undefined as never as ReturnType<typeof clientOf>,
    /** Advances the clock of the service. */
    advanceClock(ms: number) {
      clockMs += ms;
    },
    now: () => new Date(Date.now() + clockMs),
    as: <T>(user: User, work: () => Promise<T>) => runAs({ ...anonymous(), userId: user.id }, work),
    async deleteUser(username: string): Promise<void> {
      const { accounts, adminToken } = booted.accounts;
      const { user, token } = await accounts.authenticate({ secret: adminToken });
      const admin = { userId: user!.id, tokenId: token!.id, scope: token!.scope, requestId: "test" };
      await runAs(admin, () => accounts.deleteUser({ username }));
    },
    /** Creates a namespace of ann's, with bob as collaborator. */
    async aNamespace(): Promise<Namespace> {
      const { ann, bob } = booted.users;
      const namespace = await booted.accounts.aNamespace(ann, `ns${randomBytes(8).toString("hex")}`);
      const request = { namespaceId: namespace.id, handle: bob.username };
      const { invite } = await booted.as(ann, () => booted.accounts.namespaces.sendInvite(request));
      await booted.as(bob, () => booted.accounts.namespaces.acceptInvite({ id: invite!.id }));
      return namespace;
    },
    /** Creates a webhook as bob. */
    async aWebhook(namespace: Namespace, payloadUrl: string, fields: Partial<CreateWebhookRequest> = {}) {
      const request = { namespaceId: namespace.id, payloadUrl, secret: "", ssl: false, events: [], ...fields };
      return (await booted.as(booted.users.bob, () => booted.webhooks.createWebhook(request))).webhook!;
    },
    /** Publishes an event and returns its id. */
    async publish(event: Omit<Event, "id" | "at">): Promise<string> {
      const message = outboxEvent({ ...event, at: booted.now() });
      await bus.publish(message);
      return message.id;
    },
    publishMessage: (message: OutboxEvent) => bus.publish(message),
    publishBuild: (kind: string, build: Build) =>
      booted.publish({ kind, namespaceId: build.namespaceId, body: { $case: "build", value: build } }),
    async read(webhook: Webhook): Promise<Webhook> {
      const request = { namespaceId: webhook.namespaceId, id: webhook.id };
      return (await booted.as(booted.users.bob, () => booted.webhooks.getWebhook(request))).webhook!;
    },
    /** Returns the complete deliveries of a webhook, oldest first. */
    async deliveries(webhook: Webhook): Promise<Delivery[]> {
      const ids = { namespaceId: webhook.namespaceId, webhookId: webhook.id };
      const complete = async ({ id }: Delivery) => (await booted.webhooks.getDelivery({ ...ids, id })).delivery!;
      return booted.as(booted.users.bob, async () => {
        const { deliveries } = await booted.webhooks.listDeliveries({ ...ids, page: undefined });
        return Promise.all(deliveries.toReversed().map(complete));
      });
    },
    /** Waits until a webhook has this many deliveries, none of them pending. */
    settled: (webhook: Webhook, count: number) =>
      eventually(async () => {
        const found = await booted.deliveries(webhook);
        const pending = found.filter(({ status }) => status === "pending");
        if (found.length !== count || pending.length > 0)
          throw new Error(`${found.length} deliveries, ${pending.length} of them pending`);
        return found;
      }),
    start: () => start(booted.config, { now: booted.now, ...overrides }),
    clientTo: ({ port }: Service) => clientOf(port),
    /** Restarts the service on the same database, and calls `whileStopped` in between. */
    async restart(whileStopped: () => Promise<unknown> = async () => undefined) {
      await booted.service[Symbol.asyncDispose]();
      await whileStopped();
      await serve();
    },
  };
  const clientOf = (port: number) => own(connect(`127.0.0.1:${port}`)).client(WebhookServiceDefinition);
  async function serve() {
    booted.service = await booted.start();
    booted.webhooks = clientOf(booted.service.port);
  }
  beforeAll(async () => {
    booted.accounts = own(await startAccounts(names, { now: booted.now }));
    const buildsService = own(await serveBuilds(builds, buildRequests));
    const { address: namespacesAddr } = booted.accounts;
    booted.config = {
      ...configOf(names, { namespacesAddr, buildsAddr: `127.0.0.1:${buildsService.port}` }),
      ...changes,
    };
    const mongo = own(await openMongo(names.mongoUrl, booted.config.mongoDb));
    booted.db = mongo.db;
    bus = own(await connectBus(names.natsUrl, names.subjectPrefix, "test", createLog("test", "silent")));
    for (const name of ["ann", "bob", "eve"] as const) booted.users[name] = await booted.accounts.aUser(name);
    await serve();
  });
  afterAll(async () => {
    await booted.service?.[Symbol.asyncDispose]();
    for (const part of running.reverse()) await part[Symbol.asyncDispose]();
  });
  return booted;
}
