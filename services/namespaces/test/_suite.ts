import { randomBytes } from "node:crypto";
import { connectBus } from "@ci/kit/bus/bus";
import { openMongo } from "@ci/kit/mongo/mongo";
import { createLog } from "@ci/kit/process/log";
import { type Caller, runAs } from "@ci/kit/rpc/caller";
import { parseKeys } from "@ci/kit/security/secrets";
import type { Event } from "@ci/proto/events/v1/events";
import { AccountServiceDefinition, type Token, type User } from "@ci/proto/namespaces/v1/accounts";
import { type Namespace, NamespaceServiceDefinition } from "@ci/proto/namespaces/v1/namespaces";
import { distinctEvents } from "@ci/testkit/collect-events";
import { eventually } from "@ci/testkit/eventually";
import { connect, identityOf } from "@ci/testkit/identities";
import { accountQuotas } from "@ci/testkit/quotas";
import { type Suite, suite } from "@ci/testkit/suite";
import type { Db } from "mongodb";
import type { Config } from "../src/config.js";
import type { Context } from "../src/context.js";
import { start } from "../src/service.js";

/** The secret of the bootstrap token in tests. */
export const adminToken = "bootstrap-token-for-the-tests-only";

/** Returns settings with a suite's database and subjects. */
export const testConfig = (suite: Suite, changes: Partial<Config> = {}): Config => ({
  listen: "127.0.0.1:0",
  adminListen: "127.0.0.1:0",
  stopDelayMs: 0,
  stopGraceMs: 1_000,
  logLevel: "silent",
  mongoUrl: suite.mongoUrl,
  mongoDb: `${suite.mongoDb}_namespaces`,
  natsUrl: suite.natsUrl,
  subjectPrefix: suite.subjectPrefix,
  keyring: parseKeys(`test:${Buffer.alloc(32, 7).toString("base64")}`),
  objectBytes: 5 * 1024 * 1024,
  descriptionLength: 255,
  quotas: accountQuotas,
  auditRetentionMs: 90 * 24 * 60 * 60_000,
  sessionLifetimeMs: 30 * 24 * 60 * 60_000,
  sessionsPerUser: 50,
  createUsers: false,
  groupNamespaces: [],
  adminToken,
  adminUsername: "admin",
  adminEmail: "admin@localhost",
  identity: identityOf("namespaces"),
  ...changes,
});

/** Returns a caller as the gateway sends it. */
export const as = (userId: number | undefined, token?: Pick<Token, "id" | "scope">): Caller => ({
  userId,
  tokenId: token?.id,
  scope: token?.scope,
  requestId: "test",
});

/** Boots the service on a free port. Returns its clients and helpers. */
export async function bootNamespaces(suite: Suite, changes: Partial<Config> = {}, overrides: Partial<Context> = {}) {
  const config = testConfig(suite, changes);
  const service = await start(config, overrides);
  const peer = connect(`127.0.0.1:${service.port}`);
  const accounts = peer.client(AccountServiceDefinition);
  const namespaces = peer.client(NamespaceServiceDefinition);

  /** Returns the bootstrap admin as a caller with every permission. */
  async function anAdmin(): Promise<Caller> {
    const { user, token } = await accounts.authenticate({ secret: config.adminToken! });
    return as(user!.id, token);
  }

  /** Creates a user, with a random username if none is given. */
  async function aUser(username = `user${randomBytes(6).toString("hex")}`, admin = false): Promise<User> {
    const email = `${username}@example.com`;
    const caller = await anAdmin();
    return (await runAs(caller, () => accounts.createUser({ username, email, admin }))).user!;
  }

  /** Creates the last namespace of a path; its parents must exist. */
  async function aNamespace(owner: User, path: string, visibility?: string): Promise<Namespace> {
    const parent = path.split("/").slice(0, -1).join("/");
    const name = path.split("/").at(-1)!;
    const created = await runAs(as(owner.id), () => namespaces.createNamespace({ parent, name, visibility }));
    return created.namespace!;
  }

  /** Makes a user a collaborator through an invite. */
  async function addCollaborator(user: User, owner: User, namespaceId: number): Promise<void> {
    const request = { namespaceId, handle: user.username };
    const { invite } = await runAs(as(owner.id), () => namespaces.sendInvite(request));
    await runAs(as(user.id), () => namespaces.acceptInvite({ id: invite!.id }));
  }

  return {
    port: service.port,
    config,
    peer,
    accounts,
    namespaces,
    anAdmin,
    aUser,
    aNamespace,
    addCollaborator,
    async close() {
      await peer[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

export type Booted = Awaited<ReturnType<typeof bootNamespaces>>;

/** Subscribes to every event of a suite. */
async function listen(names: Suite) {
  const { events, collect } = distinctEvents();
  const bus = await connectBus(names.natsUrl, names.subjectPrefix, "tests", createLog("tests", "silent"));
  await bus.subscribe("tests", [">"], async (event) => collect(event));
  return { events, bus };
}

/** Counts the events that are not published yet. */
async function unpublishedEvents(db: Db): Promise<number> {
  const reporting = ["users", "tokens", "sessions", "namespaces", "memberships"].map((name) => db.collection(name));
  const counts = reporting.map((collection) => collection.countDocuments({ "outbox.at": { $exists: true } }));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

interface Running extends Booted {
  readonly suite: Suite;
  /** The service's database, for state that no call shows. */
  readonly db: Db;
  /** Offset of the service's clock. */
  readonly clock: { offsetMs: number };
  /** Waits until all pending events are published, and returns every event so far. */
  publishedEvents(): Promise<Event[]>;
}

/** Boots the service for the tests of a file. */
export function namespacesSuite(changes: Partial<Config> = {}): Running {
  const names = suite();
  const clock = { offsetMs: 0 };
  const running = { suite: names, clock } as Running;
  const parts: AsyncDisposable[] = [];
  beforeAll(async () => {
    const now = () => new Date(Date.now() + clock.offsetMs);
    const service = await bootNamespaces(names, changes, { now });
    const mongo = await openMongo(names.mongoUrl, service.config.mongoDb);
    const { events, bus } = await listen(names);
    parts.push(bus, mongo, { [Symbol.asyncDispose]: service.close });
    const publishedEvents = async () => {
      await eventually(async () => expect(await unpublishedEvents(mongo.db)).toBe(0));
      const last = await service.aUser();
      const isLast = ({ body }: Event) => body?.$case === "user" && body.value.user?.id === last.id;
      await eventually(() => expect(events.some(isLast)).toBe(true));
      return [...events];
    };
    Object.assign(running, service, { db: mongo.db, publishedEvents });
  });
  afterAll(async () => {
    for (const part of parts) await part[Symbol.asyncDispose]();
  });
  return running;
}
