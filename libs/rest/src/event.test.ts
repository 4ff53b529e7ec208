import { Cron } from "@ci/proto/builds/v1/crons";
import type { Event } from "@ci/proto/events/v1/events";
import { Image } from "@ci/proto/images/v1/images";
import { Invite } from "@ci/proto/namespaces/v1/namespaces";
import { Key, StoredObject, Variable } from "@ci/proto/namespaces/v1/resources";
import {
  adaJson,
  bobJson,
  build,
  buildCopy,
  child,
  childJson,
  onDay,
  ownerIds,
  relations,
  rootJson,
  url,
} from "../test/sample.js";
import { cronJson } from "./cron.js";
import { eventJson, eventRecords } from "./event.js";
import { imageJson } from "./image.js";
import { keyJson } from "./key.js";
import { objectJson } from "./object.js";
import { relationIds } from "./relations.js";
import { variableJson } from "./variable.js";

const event = (kind: string, body: Event["body"]): Event => ({ id: "e-1", kind, at: onDay(9), body });

const wholeBuild = { ...buildCopy, output: "all good\n", manifest: build.manifest, tests: null };
const invite = Invite.fromPartial({ id: 6, namespaceId: 11, inviterId: 1, inviteeId: 2, createdAt: onDay(6) });
const cron = Cron.fromPartial({ id: 1, ...ownerIds, name: "nightly", nextRun: onDay(9), createdAt: onDay(8) });
const image = Image.fromPartial({ id: 2, ...ownerIds, name: "debian", createdAt: onDay(8) });
const object = StoredObject.fromPartial({ id: 3, ...ownerIds, name: "a.txt", createdAt: onDay(8) });
const variable = Variable.fromPartial({
  id: 4,
  ...ownerIds,
  key: "A",
  value: "secret",
  masked: true,
  createdAt: onDay(8),
});
const key = Key.fromPartial({ id: 5, ...ownerIds, name: "deploy", createdAt: onDay(8), updatedAt: onDay(8) });

const ownerReferences = { userIds: [1, 2], namespaceIds: [11] };

test.each<[string, Event["body"], object | undefined, object]>([
  ...["build.submitted", "build.started", "build.finished", "build.pinned", "build.unpinned"].map(
    (kind): [string, Event["body"], object, object] => [
      kind,
      { $case: "build", value: build },
      wholeBuild,
      { userIds: [2], namespaceIds: [11] },
    ],
  ),
  [
    "build.tagged",
    { $case: "buildTagged", value: { build, tags: ["new", "x/y z"], userId: 1 } },
    {
      build: buildCopy,
      tags: [
        { name: "new", url: `${url}/b/bob.b/7/tags/new` },
        { name: "x/y z", url: `${url}/b/bob.b/7/tags/x/y%20z` },
      ],
      url: `${url}/b/bob.b/7/tags`,
      user: adaJson,
    },
    { userIds: [2, 1], namespaceIds: [11] },
  ],
  [
    "invite.sent",
    { $case: "invite", value: invite },
    { invitee: bobJson, inviter: adaJson, namespace: childJson },
    ownerReferences,
  ],
  ...["invite.accepted", "invite.rejected"].map((kind): [string, Event["body"], object, object] => [
    kind,
    { $case: "invite", value: invite },
    { invitee: bobJson, namespace: childJson },
    ownerReferences,
  ]),
  [
    "namespaces",
    { $case: "namespace", value: { action: "updated", namespace: child } },
    { action: "updated", namespace: { ...childJson, parent: rootJson, build: null } },
    { userIds: [1], namespaceIds: [10] },
  ],
  [
    "cron",
    { $case: "cron", value: { action: "created", cron } },
    { action: "created", cron: cronJson(cron, relations) },
    ownerReferences,
  ],
  [
    "images",
    { $case: "image", value: { action: "updated", image } },
    { action: "updated", image: imageJson(image, relations) },
    ownerReferences,
  ],
  [
    "objects",
    { $case: "object", value: { action: "deleted", object } },
    { action: "deleted", object: objectJson(object, relations) },
    ownerReferences,
  ],
  [
    "variables",
    { $case: "variable", value: { action: "created", variable } },
    { action: "created", variable: variableJson(variable, relations) },
    ownerReferences,
  ],
  [
    "ssh_keys",
    { $case: "key", value: { action: "created", key } },
    { action: "created", ssh_key: keyJson(key, relations), key: keyJson(key, relations) },
    ownerReferences,
  ],
  [
    "tokens",
    { $case: "token", value: { action: "created", tokenId: 1, userId: 1 } },
    undefined,
    { userIds: [], namespaceIds: [] },
  ],
])("the event %s has its documented payload and names the records that it needs", (kind, body, payload, ids) => {
  expect(eventJson(event(kind, body), relations)).toStrictEqual(payload);
  const references = relationIds(eventRecords(event(kind, body)));
  expect({ userIds: references.userIds.toSorted(), namespaceIds: references.namespaceIds }).toEqual({
    ...ids,
    userIds: (ids as { userIds: number[] }).userIds.toSorted(),
  });
});
