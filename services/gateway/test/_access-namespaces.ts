import { aUser, aWord } from "@ci/testkit/builders";
import { made } from "@ci/testkit/constellation";
import { aTree, join, type Place } from "./_access-place.js";
import { refused } from "./_access-seen.js";
import {
  type Audience,
  creators,
  type Expected,
  everyone,
  expected,
  memberList,
  members,
  owners,
  viewers,
} from "./_access-table.js";

const n = "/n/:/:";

const below =
  (rest: string, more: object = {}) =>
  ({ url }: Place) => ({ path: `${url}${rest}`, ...more });

type Kind = "object" | "image" | "variable" | "key";
const listOf = (kind: Kind) =>
  expected(`GET ${n}/-/${kind}s`, "namespace:read", viewers("200 listed"), ({ url, records }) => ({
    path: `${url}/-/${kind}s?search=${records[kind].name}`,
    id: records[kind].id,
  }));

/** Creates a child of the namespace, or another tree instead of a root. */
async function another({ crew, visibility, child, name }: Place) {
  if (!child) return { path: (await aTree(crew, visibility!, false)).url };
  const { url } = made(await crew.owner.post("/namespaces", { name: aWord("ns"), parent: name }));
  return { path: url };
}

/** Invites a new user. */
async function anInvite({ crew, url }: Place) {
  const invitee = await crew.ci.signUp();
  const { id } = made(await crew.owner.post(`${url}/-/invites`, { handle: invitee.username }));
  return { path: `/invites/${id}`, id, invitee };
}

async function aCollaborator({ crew, url, rootUrl }: Place) {
  const user = await crew.ci.signUp();
  await join(crew.owner, user, rootUrl!);
  return { path: `${url}/-/collaborators/${user.username}` };
}

/** The badge needs no token, so it hides namespaces that are not public even from members. */
const badge: Audience = (at) => everyone(at.visibility === "public" ? "200 known" : "200 unknown")(at);

/** R31 to R46 and R55 to R57. */
export const namespaces: readonly Expected[] = [
  expected(
    "GET /namespaces",
    "namespace:read",
    (at) => (at.visibility === undefined ? everyone("200")(at) : memberList(at)),
    ({ id, name = "" }) => ({ path: `/namespaces?search=${encodeURIComponent(name)}`, id }),
  ),
  expected(
    "POST /namespaces",
    "namespace:write",
    creators("201", refused("parent", "Could not find parent"), owners),
    ({ name: parent }) => ({ path: "/namespaces", json: { name: aWord("ns"), parent } }),
  ),
  expected(`GET ${n}`, "namespace:read", viewers("200"), below("")),
  expected(`PATCH ${n}`, "namespace:write", owners("200"), below("", { json: { description: "Changed" } })),
  expected(`DELETE ${n}`, "namespace:delete", owners("204"), another),
  expected(`GET ${n}/-/badge.svg`, "none", badge, below("/-/badge.svg")),
  expected(`GET ${n}/-/builds`, "namespace:read", viewers("200 listed"), ({ url, records }) => ({
    path: `${url}/-/builds?tag=v1`,
    id: records.finished.id,
  })),
  expected(`GET ${n}/-/namespaces`, "namespace:read", viewers("200"), below("/-/namespaces")),
  listOf("image"),
  listOf("object"),
  listOf("variable"),
  listOf("key"),
  expected(`GET ${n}/-/invites`, "namespace:read or invite:read", owners("200 listed"), ({ url, records }) => ({
    path: `${url}/-/invites`,
    id: records.invite,
  })),
  expected(`POST ${n}/-/invites`, "invite:write", owners("201"), async ({ crew, url }) => ({
    path: `${url}/-/invites`,
    json: { handle: made(await crew.ci.admin.post("/users", aUser())).username },
  })),
  expected(`GET ${n}/-/collaborators`, "namespace:read", members("200 listed"), ({ url, crew }) => ({
    path: `${url}/-/collaborators`,
    id: crew.collaborator.id,
  })),
  expected(`DELETE ${n}/-/collaborators/:`, "namespace:delete", owners("204"), aCollaborator),
  expected(
    "GET /invites",
    "invite:read",
    (at) => ({ ...everyone("200 not listed")(at), invitee: "200 listed" }),
    async (at) => ({ ...(await anInvite(at)), path: "/invites" }),
  ),
  expected("PATCH /invites/:", "invite:write", (at) => ({ ...everyone("404")(at), invitee: "200" }), anInvite),
  expected("DELETE /invites/:", "invite:delete", (at) => ({ ...owners("204")(at), invitee: "204" }), anInvite),
];
