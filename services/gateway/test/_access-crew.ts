import type { Api } from "@ci/testkit/api";
import { aUser, aWord } from "@ci/testkit/builders";
import { type Constellation, everything, made, type SignedUp } from "@ci/testkit/constellation";
import { type Asked, type Expected, type Role, roles } from "./_access-table.js";

/** The users of the table, with access to the API. */
export type Crew = Readonly<Record<Role, SignedUp>> & {
  readonly ci: Constellation;
  /** Returns the API for a cell, with a token that has only the row's permission or all others. */
  as(who: string, row: Expected, asked: Asked): Promise<Api>;
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
      .then((response) => ci.as(made(response).secret));
    tokens.set(key, api);
    return api;
  }

  async function as(who: string, { permissions }: Expected, { invitee }: Asked): Promise<Api> {
    const [first = ""] = permissions;
    const anyToken = first === "none" || first === "any";
    if (who === "no token") return ci.as();
    if (who === "no permission")
      return withScope(
        "owner",
        anyToken ? "image:read" : allPermissions.filter((permission) => !permissions.includes(permission)).join(" "),
      );
    if (who === "invitee") return ci.as(invitee!.token);
    if (who === "admin" || first.startsWith("user:")) return signedUp[who as Role];
    if (anyToken) return withScope(who as Role, "build:read");
    // One of two permissions suffices, so each is used by some role.
    return withScope(who as Role, who === "collaborator" ? permissions.at(-1)! : first);
  }
  return { ...signedUp, ci, as };
}

/** Creates an administrator. A token for everything permits nothing in other users' namespaces. */
async function anAdmin(ci: Constellation): Promise<SignedUp> {
  const user = made(await ci.admin.post("/users", aUser({ admin: true })));
  const body = { name: "test", scope: everythingAndUsers };
  const { secret: token } = made(await ci.admin.post(`/users/${user.username}/tokens`, body));
  return { ...ci.as(token), id: user.id, username: user.username, email: user.email, token };
}
