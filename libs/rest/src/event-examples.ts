import { Build } from "@ci/proto/builds/v1/builds";
import { Cron } from "@ci/proto/builds/v1/crons";
import { Action, type Event } from "@ci/proto/events/v1/events";
import { Image } from "@ci/proto/images/v1/images";
import { User } from "@ci/proto/namespaces/v1/accounts";
import { Invite, Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { Key, StoredObject, Variable } from "@ci/proto/namespaces/v1/resources";
import { eventJson } from "./event.js";
import type { EventName } from "./event-names.js";
import { relationsOf } from "./relations.js";

/** Where and when an example happens. Its user is the owner of the namespace. */
export interface Occasion {
  readonly id: string;
  readonly at: Date;
  readonly namespace: Namespace;
}

type Body = NonNullable<Event["body"]>;
type Example = (occasion: Occasion) => Body;

const secondsBefore = (at: Date, seconds: number): Date => new Date(at.getTime() - seconds * 1_000);

const manifest = `driver:
  type: docker
  image: busybox:1.37
  workspace: /work
stages: [test]
jobs:
  - stage: test
    commands: [echo hello]
`;

const buildOf = ({ at, namespace: { id: namespaceId, userId } }: Occasion, changes: object = {}) =>
  Build.fromPartial({
    id: 42,
    number: 42,
    userId,
    namespaceId,
    manifest,
    createdAt: secondsBefore(at, 60),
    trigger: { type: "manual", comment: "An example", data: {} },
    ...changes,
  });

const finished = ({ at }: Occasion) => ({
  status: "passed",
  startedAt: secondsBefore(at, 50),
  finishedAt: at,
  output: "hello\n",
  outputBytes: 6,
});

const ofBuild =
  (changes: (occasion: Occasion) => object): Example =>
  (occasion) => ({ $case: "build", value: buildOf(occasion, changes(occasion)) });

const inviteOf: Example = ({ at, namespace: { id: namespaceId, userId } }) => ({
  $case: "invite",
  value: Invite.fromPartial({ id: 42, namespaceId, inviterId: userId, inviteeId: userId, createdAt: at }),
});

/** The fields of a record that was made in the namespace just now. */
const made = ({ at, namespace: { id: namespaceId, userId } }: Occasion) => ({
  id: 42,
  authorId: userId,
  userId,
  namespaceId,
  createdAt: at,
});

const action = Action.created;

const bodies: Readonly<Record<EventName, Example>> = {
  "build.submitted": ofBuild(() => ({ queue: { position: 1, reason: "waiting for a runner" } })),
  "build.started": ofBuild(({ at }) => ({ status: "running", startedAt: at })),
  "build.finished": ofBuild(finished),
  "build.tagged": (occasion) => {
    const tags = ["v1.0"];
    const build = buildOf(occasion, { ...finished(occasion), tags: tags.map((name) => ({ name })) });
    return { $case: "buildTagged", value: { build, tags, userId: occasion.namespace.userId } };
  },
  "build.pinned": ofBuild((occasion) => ({ ...finished(occasion), pinned: true })),
  "build.unpinned": ofBuild(finished),
  "invite.sent": inviteOf,
  "invite.accepted": inviteOf,
  "invite.rejected": inviteOf,
  namespaces: ({ namespace }) => ({ $case: "namespace", value: { action: Action.updated, namespace } }),
  cron: (occasion) => {
    const nextRun = secondsBefore(occasion.at, -86_400);
    const cron = Cron.fromPartial({ ...made(occasion), name: "nightly", schedule: "daily", manifest, nextRun });
    return { $case: "cron", value: { action, cron } };
  },
  images: (occasion) => {
    const image = Image.fromPartial({ ...made(occasion), name: "debian-12", size: 512 * 1024 ** 2 });
    return { $case: "image", value: { action, image } };
  },
  objects: (occasion) => {
    const object = StoredObject.fromPartial({
      ...made(occasion),
      name: "hello.txt",
      type: "text/plain",
      size: 6,
      md5: "b1946ac92492d2347c6235b4d2611184",
      sha256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
    });
    return { $case: "object", value: { action, object } };
  },
  variables: (occasion) => {
    const variable = Variable.fromPartial({ ...made(occasion), key: "GREETING", value: "hello" });
    return { $case: "variable", value: { action, variable } };
  },
  ssh_keys: (occasion) => {
    const key = Key.fromPartial({ ...made(occasion), name: "deploy", updatedAt: occasion.at });
    return { $case: "key", value: { action, key } };
  },
};

/** Returns an example of an event, as if it had just happened in a namespace. */
export function exampleEvent(kind: EventName, occasion: Occasion): Event {
  const { id, at, namespace } = occasion;
  return { id, kind, at, namespaceId: namespace.id, body: bodies[kind](occasion) };
}

const at = new Date("2026-01-01T12:00:00Z");
const ann = User.fromPartial({ id: 1, email: "ann@example.com", username: "ann", createdAt: at });
const team = Namespace.fromPartial({
  id: 1,
  userId: 1,
  rootId: 1,
  name: "team",
  path: "team",
  visibility: "private",
  createdAt: at,
});

/** Returns the payload of an example, for documentation. */
export const examplePayload = (kind: EventName): object =>
  eventJson(
    exampleEvent(kind, { id: "5f0f8a3e-6a1f-4c5e-9d0b-1f6f1f0c2a11", at, namespace: team }),
    relationsOf("https://ci.example.com", { users: [ann], namespaces: [team] }),
  )!;
