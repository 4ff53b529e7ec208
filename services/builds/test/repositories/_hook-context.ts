import { openMongo } from "@ci/kit/mongo/mongo";
import { guardedAgent } from "@ci/kit/net/guarded-agent";
import { createLog } from "@ci/kit/process/log";
import { encrypt } from "@ci/kit/security/secrets";
import { limitOf } from "@ci/testkit/quotas";
import type { Suite } from "@ci/testkit/suite";
import { readingTurns } from "../../src/actions/hooks/reading-turns.js";
import type { Config } from "../../src/config.js";
import type { Context } from "../../src/context.js";
import { buildStore } from "../../src/store/builds.js";
import { repositorySecret, repositoryToken } from "../../src/store/encrypted-fields.js";
import { type HookDelivery, hookDeliveryStore } from "../../src/store/hooks/hook-deliveries.js";
import { type HookRemoval, hookRemovalStore } from "../../src/store/hooks/hook-removals.js";
import { ensureAllIndexes } from "../../src/store/indexes.js";
import { type RepositoryDoc, repositoryStore } from "../../src/store/repositories.js";
import { configOf } from "../_suite.js";

export const token = "t0ken";
const sha = "d".repeat(40);

/** What the loops about hooks need, without the rest of the service. `running` steps are awaited at the end. */
export async function hookContext(names: Suite, name: string, overrides: Partial<Config> = {}) {
  const mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_${name}`);
  const { db } = mongo;
  await ensureAllIndexes(db);
  const config = configOf(names, "", overrides);
  const { keyring } = config;
  const agent = guardedAgent(config);
  const stop = new AbortController();
  const tasks = new Set<Promise<void>>();
  const parts = {
    ...{ config, db, agent, tasks, signal: stop.signal },
    builds: buildStore(db, () => {}),
    repositories: repositoryStore(db, limitOf("Repositories", "user")),
    hookDeliveries: hookDeliveryStore(db),
    hookRemovals: hookRemovalStore(db),
    inReadingTurn: readingTurns(config),
    accounts: {
      allow: async () => ({ namespaceIds: [1] }),
      resolve: async ({ userIds }: { userIds: readonly number[] }) => ({
        users: userIds.map((id) => ({ id, username: `user${id}` })),
        namespaces: [{ id: 1, name: "ns" }],
      }),
    },
    log: createLog("test", "silent"),
    wakeDeliveries: () => {},
    wakeHookRemovals: () => {},
  };
  const deliveries = db.collection<HookDelivery>("hookDeliveries");
  return {
    ctx: parts as never as Context,
    deliveries,
    removals: db.collection<HookRemoval>("hookRemovals"),
    async repository(id: number, userId: number, url: string, more: Partial<RepositoryDoc> = {}) {
      const sealedToken = encrypt(keyring, token, repositoryToken(id));
      const doc = {
        ...{ _id: id, userId, namespaceId: 1, provider: "gitlab", url, hasAccessToken: true, sealedToken },
        ...{ sealedSecret: encrypt(keyring, "s", repositorySecret(id)), createdAt: new Date(), ...more },
      } as RepositoryDoc;
      await parts.repositories.insert(doc);
      return doc;
    },
    /** Stores deliveries that are due: with the report of an error, or with a commit to be read. */
    async dueDeliveries(repositoryId: number, count: number, step: "report" | "read") {
      const change = {
        ...{ type: "push" as const, repoId: "1", ref: "refs/heads/main", sha, fork: false },
        ...{ comment: "", email: "", username: "" },
      };
      const done = step === "report" ? { sha, wrong: true } : {};
      const common = { repositoryId, change, createdAt: new Date(), failures: 0, ...done };
      await deliveries.insertMany(
        Array.from({ length: count }, (_, n) => ({
          ...{ _id: `${repositoryId}/${n}`, ...common },
          dueAt: new Date(repositoryId * 1_000 + n),
        })),
      );
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(tasks);
      await agent.close();
      await mongo[Symbol.asyncDispose]();
    },
  };
}
