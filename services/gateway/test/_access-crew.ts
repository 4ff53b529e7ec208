import type { Api } from "@ci/testkit/api";
import { aUser, aWord } from "@ci/testkit/builders";
import { type Constellation, created, everything, type SignedUp } from "@ci/testkit/constellation";
import { type Role, roles, type TableRequest, type TableRow } from "./_access-table.js";

/** The users of the table, with access to the API. */
export type Crew = Readonly<Record<Role, SignedUp>> & {
  readonly ci: Constellation;
  /** Returns the API for a cell. Its token has only the row's permission, or all except that one. */
  apiOf(who: string, row: TableRow, request: TableRequest): Promise<Api>;
};

const everythingAndUsers = `${everything} user:read,write,delete`;
const allPermissions = everything.split(" ").flatMap((entry) => {
  const [resource, verbs = ""] = entry.split(":");
  return verbs.split(",").map((verb) => `${resource}:${verb}`);
});

/** Signs up all users. */
export async function aCrew(ci: Constellation): Promise<Crew> {
  const signedUp = {} as Record<Role, SignedUp>;
  for (const role of roles) signedUp[role] = await (role === "admin" ? anAdmin(ci) : ci.signUp());
  const tokens = new Map<string, Promise<Api>>();

  function withScope(role: Role, scope: string): Promise<Api> {
    const key = `${role} ${scope}`;
    const cached = tokens.get(key);
    if (cached) return cached;
    const api = signedUp[role]
      .post("/tokens", { name: aWord(), scope })
      .then((response) => ci.as(created(response).secret));
    tokens.set(key, api);
    return api;
  }

  async function apiOf(who: string, { permissions }: TableRow, { invitee }: TableRequest): Promise<Api> {
    const [first = ""] = permissions;
    const anyToken = first === "none" || first === "any";
    if (who === "no token") return ci.as();
    const needed = permissions.flatMap((text) => text.split(" "));
    if (who === "no permission")
      return withScope(
        "owner",
        anyToken ? "image:read" : allPermissions.filter((permission) => !needed.includes(permission)).join(" "),
      );
    if (who === "invitee") return ci.as(invitee!.token);
    if (who === "admin" || first.startsWith("user:")) return signedUp[who as Role];
    if (anyToken) return withScope(who as Role, "build:read");
    // Either of two permissions suffices, so the collaborator uses the second one and everyone else the first.
    return withScope(who as Role, who === "collaborator" ? permissions.at(-1)! : first);
  }
  return { ...signedUp, ci, apiOf };
}

/** Creates an administrator. A token for everything permits nothing in other users' namespaces. */
async function anAdmin(ci: Constellation): Promise<SignedUp> {
  const user = created(await ci.admin.post("/users", aUser({ admin: true })));
  const body = { name: "test", scope: everythingAndUsers };
  const { secret: token } = created(await ci.admin.post(`/users/${user.username}/tokens`, body));
  return { ...ci.as(token), id: user.id, username: user.username, email: user.email, token };
}
