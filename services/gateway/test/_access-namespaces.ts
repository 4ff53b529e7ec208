import { aUser, aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import { addCollaborator, aTree, type Place } from "./_access-place.js";
import { complaint } from "./_access-response.js";
import {
  type Audience,
  creators,
  everyone,
  memberList,
  members,
  owners,
  type TableRow,
  tableRow,
  viewers,
} from "./_access-table.js";

const n = "/n/:/:";

const below =
  (rest: string, more: object = {}) =>
  ({ url }: Place) => ({ path: `${url}${rest}`, ...more });

type Kind = "object" | "image" | "variable" | "key";
const listOf = (kind: Kind) =>
  tableRow(`GET ${n}/-/${kind}s`, "namespace:read", viewers("200 listed"), ({ url, records }) => ({
    path: `${url}/-/${kind}s?search=${records[kind].name}`,
    id: records[kind].id,
  }));

/** Creates a child of the namespace, or another tree instead of a root. */
async function another({ crew, visibility, child, name }: Place) {
  if (!child) return { path: (await aTree(crew, visibility!, false)).url };
  const { url } = created(await crew.owner.post("/namespaces", { name: aWord("ns"), parent: name }));
  return { path: url };
}

/** Invites a new user. */
async function anInvite({ crew, url }: Place) {
  const invitee = await crew.ci.signUp();
  const { id } = created(await crew.owner.post(`${url}/-/invites`, { handle: invitee.username }));
  return { path: `/invites/${id}`, id, invitee };
}

async function aCollaborator({ crew, url, rootUrl }: Place) {
  const user = await crew.ci.signUp();
  await addCollaborator(crew.owner, user, rootUrl!);
  return { path: `${url}/-/collaborators/${user.username}` };
}

/** Makes another tree, whose collaborator can leave. */
async function aMembership({ crew, visibility, child }: Place) {
  return { path: `${(await aTree(crew, visibility!, child!)).url}/-/membership` };
}

/** Hides namespaces that are not public even from members, because the badge needs no token. */
const badge: Audience = (place) => everyone(place.visibility === "public" ? "200 known" : "200 unknown")(place);

/** R31 to R46 and R55 to R57. */
export const namespaces: readonly TableRow[] = [
  tableRow(
    "GET /namespaces",
    "namespace:read",
    (place) => (place.visibility === undefined ? everyone("200")(place) : memberList(place)),
    ({ id, name = "" }) => ({ path: `/namespaces?search=${encodeURIComponent(name)}`, id }),
  ),
  tableRow(
    "POST /namespaces",
    "namespace:write",
    creators("201", complaint("parent", "Could not find parent"), owners),
    ({ name: parent }) => ({ path: "/namespaces", json: { name: aWord("ns"), parent } }),
  ),
  tableRow(`GET ${n}`, "namespace:read", viewers("200"), below("")),
  tableRow(`PATCH ${n}`, "namespace:write", owners("200"), below("", { json: { description: "Changed" } })),
  tableRow(`DELETE ${n}`, "namespace:delete", owners("204"), another),
  tableRow(`GET ${n}/-/badge.svg`, "none", badge, below("/-/badge.svg")),
  tableRow(`GET ${n}/-/builds`, "namespace:read", viewers("200 listed"), ({ url, records }) => ({
    path: `${url}/-/builds?tag=v1`,
    id: records.finished.id,
  })),
  tableRow(`GET ${n}/-/namespaces`, "namespace:read", viewers("200"), below("/-/namespaces")),
  listOf("image"),
  listOf("object"),
  listOf("variable"),
  listOf("key"),
  tableRow(`GET ${n}/-/invites`, "namespace:read or invite:read", owners("200 listed"), ({ url, records }) => ({
    path: `${url}/-/invites`,
    id: records.invite,
  })),
  tableRow(`POST ${n}/-/invites`, "invite:write", owners("201"), async ({ crew, url }) => ({
    path: `${url}/-/invites`,
    json: { handle: created(await crew.ci.admin.post("/users", aUser())).username },
  })),
  tableRow(`GET ${n}/-/collaborators`, "namespace:read", members("200 listed"), ({ url, crew }) => ({
    path: `${url}/-/collaborators`,
    id: crew.collaborator.id,
  })),
  tableRow(`DELETE ${n}/-/collaborators/:`, "namespace:delete", owners("204"), aCollaborator),
  tableRow(
    `DELETE ${n}/-/membership`,
    "invite:delete",
    (place) => ({ ...everyone("404")(place), collaborator: "204" }),
    aMembership,
  ),
  tableRow(
    "GET /invites",
    "invite:read",
    (place) => ({ ...everyone("200 not listed")(place), invitee: "200 listed" }),
    async (place) => ({ ...(await anInvite(place)), path: "/invites" }),
  ),
  tableRow("PATCH /invites/:", "invite:write", (place) => ({ ...everyone("404")(place), invitee: "200" }), anInvite),
  tableRow("DELETE /invites/:", "invite:delete", (place) => ({ ...owners("204")(place), invitee: "204" }), anInvite),
];
