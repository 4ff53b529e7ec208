import { aUser, aWord } from "@ci/testkit/builders";
import { made } from "@ci/testkit/constellation";
import type { Place } from "./_access-place.js";
import { refused } from "./_access-seen.js";
import { admins, type Expected, everyone, expected, owners } from "./_access-table.js";

const at = (path: string) => () => ({ path });
const aToken = () => ({ name: aWord(), scope: "build:read" });

/** Creates a token of the owner's. The table's requests use one with the same or another scope. */
async function ownToken({ crew }: Place) {
  const { id } = made(await crew.owner.post("/tokens", aToken()));
  return { path: `/tokens/${id}` };
}

/** R1 to R12, and the audit log. */
export const accounts: readonly Expected[] = [
  expected("GET /", "none", everyone("200"), at("/")),
  expected("GET /version", "none", everyone("200"), at("/version")),
  expected("GET /openapi.json", "none", everyone("200"), at("/openapi.json")),
  expected("GET /health", "none", everyone("200"), at("/health")),
  expected("GET /user", "any", everyone("200"), at("/user")),
  expected("GET /users", "user:read", admins("200", "user:read"), at("/users")),
  expected("GET /audit", "user:read", admins("200", "user:read"), at("/audit")),
  expected("POST /users", "user:write", admins("201", "user:write"), () => ({ path: "/users", json: aUser() })),
  expected("DELETE /users/:", "user:delete", admins("204", "user:delete"), async ({ crew }) => ({
    path: `/users/${made(await crew.ci.admin.post("/users", aUser())).username}`,
  })),
  expected("POST /users/:/tokens", "user:write", admins("201", "user:write"), ({ crew }) => ({
    path: `/users/${crew.owner.username}/tokens`,
    json: aToken(),
  })),
  expected(
    "GET /tokens",
    "any",
    (place) => ({ ...owners("200 listed", "200 not listed")(place), "no permission": "200 listed" }),
    async ({ crew }) => ({ path: "/tokens", id: (await crew.owner.get("/tokens")).json[0].id }),
  ),
  expected(
    "POST /tokens",
    "any",
    (place) => ({ ...everyone("201")(place), "no permission": refused("scope", "Scope cannot grant build:read") }),
    () => ({ path: "/tokens", json: aToken() }),
  ),
  expected(
    "DELETE /tokens/:",
    "any",
    // 3.1: users delete their own tokens within their scope, administrators all.
    (place) => ({ ...owners("204")(place), admin: "204", "no permission": "403 build:read" }),
    ownToken,
  ),
];
