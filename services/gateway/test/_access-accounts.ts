import { aUser, aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import type { Place } from "./_access-place.js";
import { complaint } from "./_access-response.js";
import { admins, everyone, owners, type TableRow, tableRow } from "./_access-table.js";

const get = (path: string) => () => ({ path });
const aToken = () => ({ name: aWord(), scope: "build:read" });

/** Creates a token for the owner. It is not the token that sends the request. */
async function anOwnToken({ crew }: Place) {
  const { id } = created(await crew.owner.post("/tokens", aToken()));
  return { path: `/tokens/${id}` };
}

/** Opens a session for the owner. */
async function anOwnSession({ crew }: Place) {
  const { id } = created(await crew.ci.as().post("/session", { token: crew.owner.token }));
  return { path: `/user/sessions/${id}` };
}

/** R1 to R12, and the audit log. */
export const accounts: readonly TableRow[] = [
  tableRow("GET /", "none", everyone("200"), get("/")),
  tableRow("GET /version", "none", everyone("200"), get("/version")),
  tableRow("GET /openapi.json", "none", everyone("200"), get("/openapi.json")),
  tableRow("GET /manifest.schema.json", "none", everyone("200"), get("/manifest.schema.json")),
  tableRow("GET /health", "none", everyone("200"), get("/health")),
  tableRow("GET /user", "any", everyone("200"), get("/user")),
  tableRow("GET /users", "user:read", admins("200", "user:read"), get("/users")),
  tableRow("GET /audit", "user:read", admins("200", "user:read"), get("/audit")),
  tableRow("GET /runners", "user:read", admins("200", "user:read"), get("/runners")),
  tableRow("GET /queue", "user:read", admins("200", "user:read"), get("/queue?hours=24")),
  tableRow("POST /users", "user:write", admins("201", "user:write"), () => ({ path: "/users", json: aUser() })),
  tableRow("DELETE /users/:", "user:delete", admins("204", "user:delete"), async ({ crew }) => ({
    path: `/users/${created(await crew.ci.admin.post("/users", aUser())).username}`,
  })),
  tableRow("GET /users/-/tokens", "user:read", admins("200 listed", "user:read"), async ({ crew }) => ({
    path: `/users/-/tokens?search=test&user=${crew.owner.username}`,
    id: (await crew.owner.get("/tokens")).json[0].id,
  })),
  tableRow("POST /users/:/tokens", "user:write", admins("201", "user:write"), ({ crew }) => ({
    path: `/users/${crew.owner.username}/tokens`,
    json: aToken(),
  })),
  tableRow(
    "GET /tokens",
    "any",
    (place) => ({ ...owners("200 listed", "200 not listed")(place), "no permission": "200 listed" }),
    async ({ crew }) => ({ path: "/tokens", id: (await crew.owner.get("/tokens")).json[0].id }),
  ),
  tableRow(
    "POST /tokens",
    "any",
    (place) => ({ ...everyone("201")(place), "no permission": complaint("scope", "Scope cannot grant build:read") }),
    () => ({ path: "/tokens", json: aToken() }),
  ),
  tableRow(
    "DELETE /tokens/:",
    "any",
    // 3.1: users delete their own tokens within their scope; administrators delete any token.
    (place) => ({ ...owners("204")(place), admin: "204", "no permission": "403 build:read" }),
    anOwnToken,
  ),
  tableRow("POST /session", "none", everyone("201"), ({ crew }) => ({
    path: "/session",
    json: { token: crew.owner.token },
  })),
  // The requests of the table have a token and no session.
  tableRow("DELETE /session", "any", everyone("204"), get("/session")),
  tableRow("GET /user/sessions", "any", everyone("200"), get("/user/sessions")),
  tableRow(
    "DELETE /user/sessions/:",
    "any",
    (place) => ({ ...owners("204")(place), owner: "403 build:write", "no permission": "403 build:read" }),
    anOwnSession,
  ),
  tableRow("GET /user/identities", "any", everyone("200"), get("/user/identities")),
  // Only a provider connects identities, which the table has none of.
  tableRow("DELETE /user/identities/:", "any", everyone("404"), get("/user/identities/7")),
  tableRow("POST /user/sign-in-links", "any", everyone("201"), get("/user/sign-in-links")),
];
