import { Artifact, Build, BuildKey, BuildObject, BuildVariable, Tag } from "@ci/proto/builds/v1/builds";
import { Cron } from "@ci/proto/builds/v1/crons";
import { Repository } from "@ci/proto/builds/v1/repositories";
import { Image } from "@ci/proto/images/v1/images";
import { Token } from "@ci/proto/namespaces/v1/accounts";
import { Collaborator, Invite } from "@ci/proto/namespaces/v1/namespaces";
import { Key, StoredObject, Variable } from "@ci/proto/namespaces/v1/resources";
import { Delivery, Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { artifactJson } from "../src/artifact.js";
import { buildEmbed, buildJson } from "../src/build.js";
import { collaboratorJson } from "../src/collaborator.js";
import { cronJson } from "../src/cron.js";
import { deliveryJson, fullDeliveryJson } from "../src/delivery.js";
import { imageJson } from "../src/image.js";
import { acceptedJson, inviteJson } from "../src/invite.js";
import { jobJson } from "../src/job.js";
import { buildKeyJson, keyJson } from "../src/key.js";
import { namespaceEmbed, namespaceJson } from "../src/namespace.js";
import { buildObjectJson, objectJson } from "../src/object.js";
import { relationsOf } from "../src/relations.js";
import { repositoryJson } from "../src/repository.js";
import { tagJson } from "../src/tag.js";
import { tokenJson } from "../src/token.js";
import { userEmbed, userJson } from "../src/user.js";
import { buildVariableJson, variableJson } from "../src/variable.js";
import { webhookJson } from "../src/webhook.js";
import { ada, at, bob, build, child, job, keptBy, known, root } from "./sample.js";

const newest = relationsOf(known.url, { users: [ada, bob], namespaces: [root, child] }, [build]);
const queued = Build.fromPartial({
  ...{ id: 101, userId: 2, number: 8, status: "queued", createdAt: at(5), manifest: "stages: []\n" },
  queue: { position: 3, reason: "limit of user" },
});

const bytes = { size: 9, md5: "aa", sha256: "bb" };
const artifact = Artifact.fromPartial({
  ...{ id: 3, buildId: 100, jobId: 200, userId: 2, source: "out/*", name: "out/a b?.tar", createdAt: at(5) },
  ...bytes,
});
const tag = Tag.fromPartial({ id: 4, userId: 1, buildId: 100, name: "v1/ß", createdAt: at(8) });
const image = Image.fromPartial({ id: 1, ...keptBy, name: "debian", createdAt: at(5), size: 9, sha256: "cc" });
const source = "sftp://me:xxxxxx@example.com/debian";
const object = StoredObject.fromPartial({
  id: 2,
  ...keptBy,
  name: "a.txt",
  type: "text/plain",
  createdAt: at(5),
  ...bytes,
});
const variable = Variable.fromPartial({ id: 3, ...keptBy, key: "A", value: "plain", createdAt: at(5) });
const key = Key.fromPartial({ id: 4, ...keptBy, name: "deploy", config: "", createdAt: at(5), updatedAt: at(6) });
const cron = Cron.fromPartial({
  ...{ id: 5, ...keptBy, name: "nightly", schedule: "weekly", manifest: "stages: []" },
  ...{ createdAt: at(5), prevRun: at(8), nextRun: at(9), lastError: "Manifest field required" },
});
const token = Token.fromPartial({ id: 5, userId: 1, name: "laptop", scope: "build:read", createdAt: at(5) });
const invite = Invite.fromPartial({ id: 6, namespaceId: 11, inviterId: 1, inviteeId: 2, createdAt: at(6) });
const repository = Repository.fromPartial({
  ...{ id: 8, namespaceId: 11, userId: 1, provider: "gitea", url: "https://git.example.com/a/b.git" },
  ...{ hasAccessToken: true, createdAt: at(8) },
});
const webhook = Webhook.fromPartial({
  ...{ id: 3, authorId: 2, userId: 1, namespaceId: 11, payloadUrl: "https://example.com/in", ssl: true },
  ...{ events: ["build.submitted", "cron"], active: false, disabledReason: "failing", createdAt: at(5) },
  lastResponse: { durationNs: 12_345, error: "timeout", createdAt: at(6) },
});
const delivery = Delivery.fromPartial({
  ...{ id: 9, webhookId: 3, deliveryId: "d-1", eventId: "e-1", event: "cron", status: "failed", createdAt: at(5) },
  ...{ attemptCount: 1, nextAttemptAt: at(8) },
  request: { headers: { Accept: "*/*" }, payload: "{}" },
  attempts: [{ number: 1, redelivery: true, code: 503, durationNs: 8, error: "unavailable", createdAt: at(7) }],
  response: { code: 503, headers: { server: "x" }, body: "later", truncated: true },
});

/** One or more answers of every record, each beside the name of its schema. */
export const answers: readonly (readonly [schema: string, json: object | null])[] = [
  ["User", userEmbed(1, known)],
  ["User", userEmbed(99, known)],
  ["Account", userJson(ada)],
  ["Token", tokenJson(token, known)],
  ["NewToken", tokenJson({ ...token, expiresAt: at(9), lastUsedAt: at(8) }, known, "ci_abc")],
  ["NamespaceCopy", namespaceEmbed(11, known)],
  ["Namespace", namespaceJson(root, known)],
  ["Namespace", namespaceJson(child, newest)],
  ["BuildCopy", buildEmbed(build, known)],
  ["Build", buildJson(build, known)],
  ["Build", buildJson(queued, known)],
  ["Job", jobJson(job, build, known)],
  ["Artifact", artifactJson(artifact, build, job, known)],
  ["Artifact", artifactJson({ ...artifact, size: undefined, md5: undefined, deletedAt: at(9) }, build, job, known)],
  ["Tag", tagJson(tag, build, known)],
  [
    "BuildObject",
    buildObjectJson(BuildObject.fromPartial({ id: 5, buildId: 100, source: "a.txt", name: "in/a.txt" }), build, known),
  ],
  [
    "BuildVariable",
    buildVariableJson(
      BuildVariable.fromPartial({ id: 6, buildId: 100, key: "A", value: "secret", masked: true, variableId: 60 }),
      build,
      known,
    ),
  ],
  [
    "BuildKey",
    buildKeyJson(BuildKey.fromPartial({ id: 8, buildId: 100, name: "deploy", config: "Host *" }), build, known),
  ],
  ["Image", imageJson(image, known)],
  [
    "Image",
    imageJson({ ...image, namespaceId: undefined, download: { source, createdAt: at(6), received: 7 } }, known),
  ],
  ["Object", objectJson(object, known)],
  ["Variable", variableJson(variable, known)],
  ["Key", keyJson(key, known)],
  ["Cron", cronJson(cron, known)],
  ["Invite", inviteJson(invite, known)],
  ["Accepted", acceptedJson(invite, { id: 10 }, known)],
  ["Collaborator", collaboratorJson(Collaborator.fromPartial({ userId: 2, rootId: 10, createdAt: at(7) }), known)],
  ["Collaborator", collaboratorJson(Collaborator.fromPartial({ userId: 2, rootId: 99, createdAt: at(7) }), known)],
  ["Repository", repositoryJson(repository, known)],
  ["Webhook", webhookJson(webhook, known)],
  ["Delivery", deliveryJson(delivery, 11, known)],
  ["FullDelivery", fullDeliveryJson(delivery, 11, known)],
];
