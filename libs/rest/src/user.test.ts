import { Repository } from "@ci/proto/builds/v1/repositories";
import { Token } from "@ci/proto/namespaces/v1/accounts";
import { Collaborator, Invite } from "@ci/proto/namespaces/v1/namespaces";
import { ada, adaJson, bobJson, childJson, onDay, relations, rootJson, stamp, url } from "../test/sample.js";
import { collaboratorJson } from "./collaborator.js";
import { acceptedJson, inviteJson } from "./invite.js";
import { repositoryJson } from "./repository.js";
import { newTokenJson, tokenJson } from "./token.js";
import { userEmbed, userJson } from "./user.js";

const token = Token.fromPartial({ id: 5, userId: 1, name: "laptop", scope: "build:read", createdAt: onDay(5) });
const tokenRecord = {
  ...{ id: 5, user_id: 1, name: "laptop", scope: "build:read", created_at: stamp(5) },
  ...{ expires_at: null, last_used_at: null, url: `${url}/tokens/5`, user: adaJson },
};
const invite = Invite.fromPartial({ id: 6, namespaceId: 11, inviterId: 1, inviteeId: 2, createdAt: onDay(6) });
const collaborator = Collaborator.fromPartial({ userId: 2, rootId: 10, createdAt: onDay(7) });
const collaboratorRecord = {
  ...{ id: 2, email: "bob@example.com", username: "bob.b", created_at: stamp(7) },
  url: `${url}/n/ada/acme/-/collaborators/bob.b`,
};
const repository = Repository.fromPartial({
  ...{ id: 8, namespaceId: 11, userId: 1, provider: "gitea", url: "https://git.example.com/a/b.git" },
  ...{ hasAccessToken: true, createdAt: onDay(8) },
});

test.each<[string, object, object]>([
  ["copy of a user", userEmbed(1, relations), adaJson],
  ["account", userJson(ada), { ...adaJson, admin: true }],
  ["token", tokenJson(token, relations), tokenRecord],
  [
    "new token",
    newTokenJson({ ...token, expiresAt: onDay(9), lastUsedAt: onDay(8) }, relations, "ci_abc"),
    { ...tokenRecord, expires_at: stamp(9), last_used_at: stamp(8), secret: "ci_abc" },
  ],
  [
    "invite",
    inviteJson(invite, relations),
    {
      ...{ id: 6, namespace_id: 11, inviter_id: 1, invitee_id: 2, created_at: stamp(6), url: `${url}/invites/6` },
      ...{ inviter: adaJson, invitee: bobJson, namespace: childJson },
    },
  ],
  [
    "accepted invite",
    acceptedJson(invite, { id: 10 }, relations),
    { namespace: rootJson, inviter: adaJson, invitee: bobJson },
  ],
  ["collaborator", collaboratorJson(collaborator, relations), collaboratorRecord],
  [
    "collaborator of a deleted tree",
    collaboratorJson({ ...collaborator, rootId: 99 }, relations),
    { ...collaboratorRecord, url: null },
  ],
  [
    "repository",
    repositoryJson(repository, relations),
    {
      ...{ id: 8, namespace_id: 11, user_id: 1, provider: "gitea", url: "https://git.example.com/a/b.git" },
      ...{ hook_url: `${url}/hooks/gitea/8`, has_access_token: true, created_at: stamp(8) },
      ...{ forks: "approve", cancel_superseded: false, hook: "by_hand", hook_reason: null, last_event_at: null },
      ...{ user: adaJson, namespace: childJson },
    },
  ],
])("%s has its documented JSON", (_, json, expected) => {
  expect(json).toStrictEqual(expected);
});
