import {
  Artifact,
  Build,
  BuildKey,
  BuildObject,
  BuildTest,
  BuildVariable,
  Cache,
  Tag,
} from "@ci/proto/builds/v1/builds";
import { Cron } from "@ci/proto/builds/v1/crons";
import { GetQueueResponse, Runner } from "@ci/proto/builds/v1/operators";
import { HookDelivery, Repository } from "@ci/proto/builds/v1/repositories";
import { Image } from "@ci/proto/images/v1/images";
import { Identity, Session, Token } from "@ci/proto/namespaces/v1/accounts";
import { Collaborator, Invite } from "@ci/proto/namespaces/v1/namespaces";
import { Key, StoredObject, Variable } from "@ci/proto/namespaces/v1/resources";
import { Delivery, Webhook } from "@ci/proto/webhooks/v1/webhooks";
import type { z } from "zod";
import { artifactJson, artifactSchema } from "../src/artifact.js";
import { buildCopySchema, buildEmbed, buildJson, buildSchema } from "../src/build.js";
import { cacheJson, cacheSchema } from "../src/cache.js";
import { collaboratorJson, collaboratorSchema } from "../src/collaborator.js";
import { cronJson, cronSchema } from "../src/cron.js";
import { deliveryJson, deliverySchema, fullDeliveryJson, fullDeliverySchema } from "../src/delivery.js";
import { hookDeliveryJson, hookDeliverySchema } from "../src/hook-delivery.js";
import { identityJson, identitySchema } from "../src/identity.js";
import { imageJson, imageSchema } from "../src/image.js";
import { acceptedJson, acceptedSchema, inviteJson, inviteSchema } from "../src/invite.js";
import { jobJson, jobSchema } from "../src/job.js";
import { buildKeyJson, buildKeySchema, keyJson, keySchema } from "../src/key.js";
import { namespaceJson, namespaceSchema } from "../src/namespace.js";
import { namespaceCopySchema, namespaceEmbed } from "../src/namespace-copy.js";
import { buildObjectJson, buildObjectSchema, objectJson, objectSchema } from "../src/object.js";
import { queueJson, queueSchema, runnerJson, runnerSchema } from "../src/operators.js";
import { relationsOf } from "../src/relations.js";
import { connectedJson, connectedSchema, repositoryJson, repositorySchema } from "../src/repository.js";
import { sessionJson, sessionSchema, signInLinkJson, signInLinkSchema } from "../src/session.js";
import { tagJson, tagSchema } from "../src/tag.js";
import { testJson, testSchema } from "../src/test.js";
import { newTokenJson, newTokenSchema, tokenJson, tokenSchema } from "../src/token.js";
import { accountSchema, userEmbed, userJson, userSchema } from "../src/user.js";
import { buildVariableJson, buildVariableSchema, variableJson, variableSchema } from "../src/variable.js";
import { webhookJson, webhookSchema } from "../src/webhook.js";
import { ada, bob, build, child, job, onDay, ownerIds, relations, root } from "./sample.js";

const newest = relationsOf(relations.url, { users: [ada, bob], namespaces: [root, child] }, [build]);
const queued = Build.fromPartial({
  ...{ id: 101, userId: 2, number: 8, status: "queued", createdAt: onDay(5), manifest: "stages: []\n" },
  queue: { position: 3, reason: "limit of user" },
});

const bytes = { size: 9, md5: "0123456789abcdef".repeat(2), sha256: "0123456789abcdef".repeat(4) };
const artifact = Artifact.fromPartial({
  ...{ id: 3, buildId: 100, jobId: 200, userId: 2, source: "out/*", name: "out/a b?.tar", createdAt: onDay(5) },
  ...bytes,
});
const tag = Tag.fromPartial({ id: 4, userId: 1, buildId: 100, name: "v1/ß", createdAt: onDay(8) });
const cache = Cache.fromPartial({
  ...{ id: 7, userId: 1, name: "npm", key: "ab".repeat(32), driver: "docker", size: 20_000, storedSize: 9_000 },
  ...{ createdAt: onDay(5), usedAt: onDay(6) },
});
const runner = Runner.fromPartial({
  ...{ id: "7f9c", drivers: ["docker", "os"], busy: 1, places: 2, seenAt: onDay(6), active: true },
});
const queue = GetQueueResponse.fromPartial({
  ...{ drivers: [{ driver: "docker", queued: 2, running: 1, runners: 1 }], oldestSince: onDay(5), periodMinutes: 3 },
  history: [
    { at: onDay(5), queued: 2, running: 1, runners: 1, started: 2, waitedMs: 3_001, finished: 3, ranMs: 10_000 },
    { at: onDay(6) },
  ],
});
const test = BuildTest.fromPartial({ job: "unit", suite: "s", className: "c", name: "adds", seconds: 0.5 });
const image = Image.fromPartial({ id: 1, ...ownerIds, name: "debian", createdAt: onDay(5), size: 9, sha256: "cc" });
const source = "sftp://me:xxxxxx@example.com/debian";
const object = StoredObject.fromPartial({
  id: 2,
  ...ownerIds,
  name: "a.txt",
  type: "text/plain",
  createdAt: onDay(5),
  ...bytes,
});
const variable = Variable.fromPartial({ id: 3, ...ownerIds, key: "A", value: "plain", createdAt: onDay(5) });
const key = Key.fromPartial({
  id: 4,
  ...ownerIds,
  name: "deploy",
  config: "",
  createdAt: onDay(5),
  updatedAt: onDay(6),
});
const cron = Cron.fromPartial({
  ...{ id: 5, ...ownerIds, name: "nightly", schedule: "weekly", manifest: "stages: []" },
  ...{ createdAt: onDay(5), prevRun: onDay(8), nextRun: onDay(9), lastError: "Manifest field required" },
});
const session = Session.fromPartial({
  ...{ id: 3, userId: 1, tokenId: 5, createdAt: onDay(5), expiresAt: onDay(9), lastUsedAt: onDay(6) },
  ...{ userAgent: "Firefox", address: "203.0.113.9" },
});
const identity = Identity.fromPartial({
  ...{ id: 2, userId: 1, issuer: "https://login.example.com", subject: "a-1", name: "ada", createdAt: onDay(5) },
});
const token = Token.fromPartial({ id: 5, userId: 1, name: "laptop", scope: "build:read", createdAt: onDay(5) });
const invite = Invite.fromPartial({ id: 6, namespaceId: 11, inviterId: 1, inviteeId: 2, createdAt: onDay(6) });
const hookDelivery = HookDelivery.fromPartial({
  id: 5,
  repositoryId: 3,
  deliveryId: "x",
  event: "ping",
  createdAt: onDay(7),
});
const repository = Repository.fromPartial({
  ...{ id: 8, namespaceId: 11, userId: 1, provider: "gitea", url: "https://git.example.com/a/b.git" },
  ...{ hasAccessToken: true, createdAt: onDay(8) },
});
const webhook = Webhook.fromPartial({
  ...{ id: 3, authorId: 2, userId: 1, namespaceId: 11, payloadUrl: "https://example.com/in", ssl: true },
  ...{ events: ["build.submitted", "cron"], active: false, disabledReason: "failing", createdAt: onDay(5) },
  lastResponse: { durationNs: 12_345, error: "timeout", createdAt: onDay(6) },
});
const delivery = Delivery.fromPartial({
  ...{
    id: 9,
    webhookId: 3,
    deliveryId: "8d0ac2f1-6f83-4b3e-9d9e-0f5a3c1b2d4e",
    eventId: "1c5b7a90-2e4d-4f6a-8b3c-7d9e0f1a2b3c",
    event: "cron",
    status: "failed",
    createdAt: onDay(5),
  },
  ...{ attemptCount: 1, nextAttemptAt: onDay(8) },
  request: { headers: { Accept: "*/*" }, payload: "{}" },
  attempts: [{ number: 1, redelivery: true, code: 503, durationNs: 8, error: "unavailable", createdAt: onDay(7) }],
  response: { code: 503, headers: { server: "x" }, body: "later", truncated: true },
});

/** One or more responses for every kind of record, each beside its schema. */
export const responses: readonly (readonly [schema: z.ZodObject, json: object | null])[] = [
  [userSchema, userEmbed(1, relations)],
  [userSchema, userEmbed(99, relations)],
  [accountSchema, userJson(ada)],
  [sessionSchema, sessionJson(session, relations, 3)],
  [identitySchema, identityJson(identity, relations)],
  [signInLinkSchema, signInLinkJson("ci_abc", onDay(9), relations)],
  [tokenSchema, tokenJson(token, relations)],
  [newTokenSchema, newTokenJson({ ...token, expiresAt: onDay(9), lastUsedAt: onDay(8) }, relations, "ci_abc")],
  [namespaceCopySchema, namespaceEmbed(11, relations)],
  [namespaceSchema, namespaceJson(root, relations)],
  [namespaceSchema, namespaceJson(child, newest)],
  [buildCopySchema, buildEmbed(build, relations)],
  [buildSchema, buildJson(build, relations)],
  [buildSchema, buildJson(queued, relations)],
  [jobSchema, jobJson(job, build, relations)],
  [artifactSchema, artifactJson(artifact, build, job, relations)],
  [
    artifactSchema,
    artifactJson({ ...artifact, size: undefined, md5: undefined, deletedAt: onDay(9) }, build, job, relations),
  ],
  [tagSchema, tagJson(tag, build, relations)],
  [
    buildObjectSchema,
    buildObjectJson(
      BuildObject.fromPartial({ id: 5, buildId: 100, source: "a.txt", name: "in/a.txt" }),
      build,
      relations,
    ),
  ],
  [
    buildVariableSchema,
    buildVariableJson(
      BuildVariable.fromPartial({ id: 6, buildId: 100, key: "A", value: "secret", masked: true, variableId: 60 }),
      build,
      relations,
    ),
  ],
  [
    buildKeySchema,
    buildKeyJson(BuildKey.fromPartial({ id: 8, buildId: 100, name: "deploy", config: "Host *" }), build, relations),
  ],
  [imageSchema, imageJson(image, relations)],
  [
    imageSchema,
    imageJson({ ...image, namespaceId: undefined, download: { source, createdAt: onDay(6), received: 7 } }, relations),
  ],
  [objectSchema, objectJson(object, relations)],
  [variableSchema, variableJson(variable, relations)],
  [keySchema, keyJson(key, relations)],
  [cronSchema, cronJson(cron, relations)],
  [inviteSchema, inviteJson(invite, relations)],
  [acceptedSchema, acceptedJson(invite, { id: 10 }, relations)],
  [
    collaboratorSchema,
    collaboratorJson(Collaborator.fromPartial({ userId: 2, rootId: 10, createdAt: onDay(7) }), relations),
  ],
  [
    collaboratorSchema,
    collaboratorJson(Collaborator.fromPartial({ userId: 2, rootId: 99, createdAt: onDay(7) }), relations),
  ],
  [repositorySchema, repositoryJson(repository, relations)],
  [connectedSchema, connectedJson(repository, hookDelivery, relations)],
  [webhookSchema, webhookJson(webhook, relations)],
  [deliverySchema, deliveryJson(delivery, 11, relations)],
  [fullDeliverySchema, fullDeliveryJson(delivery, 11, relations)],
  [hookDeliverySchema, hookDeliveryJson(hookDelivery, 11, relations)],
  [cacheSchema, cacheJson(cache, relations)],
  [testSchema, testJson(test)],
  [runnerSchema, runnerJson(runner)],
  [runnerSchema, runnerJson({ ...runner, places: undefined, active: false })],
  [queueSchema, queueJson(queue)],
  [queueSchema, queueJson(GetQueueResponse.fromPartial({ periodMinutes: 1 }))],
];
