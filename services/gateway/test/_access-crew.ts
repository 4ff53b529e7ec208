import type { Api } from "@ci/testkit/api";
import { aUser, aWord } from "@ci/testkit/builders";
import { type Constellation, everything, made, type SignedUp } from "@ci/testkit/constellation";
import { type Asked, type Expected, type Role, roles } from "./_access-table.js";

/** The users of the table, each with access to the API. */
export type Crew = Readonly<Record<Role, SignedUp>> & {
  readonly ci: Constellation;
  /** The API for a cell, with a token that has only the row's permission, or every other one. */
  as(who: string, row: Expected, asked: Asked): Promise<Api>;
};

const usersToo = `${everything} user:read,write,delete`;
const all = everything.split(" ").flatMap((entry) => {
  const [resource, verbs = ""] = entry.split(":");
  return verbs.split(",").map((verb) => `${resource}:${verb}`);
});

/** Signs up all users. */
export async function aCrew(ci: Constellation): Promise<Crew> {
  const signedUp = {} as Record<Role, SignedUp>;
  for (const person of roles) signedUp[person] = await (person === "admin" ? anAdmin(ci) : ci.signUp());
  const tokens = new Map<string, Promise<Api>>();

  function withScope(person: Role, scope: string): Promise<Api> {
    const key = `${person} ${scope}`;
    const known = tokens.get(key);
    if (known) return known;
    const api = signedUp[person].post("/tokens", { name: aWord(), scope }).then((got) => ci.as(made(got).secret));
    tokens.set(key, api);
    return api;
  }

  async function as(who: string, { permissions }: Expected, { invitee }: Asked): Promise<Api> {
    const [first = ""] = permissions;
    const open = first === "none" || first === "any";
    if (who === "no token") return ci.as();
    if (who === "no permission")
      return withScope("owner", open ? "image:read" : all.filter((one) => !permissions.includes(one)).join(" "));
    if (who === "invitee") return ci.as(invitee!.token);
    if (who === "admin" || first.startsWith("user:")) return signedUp[who as Role];
    if (open) return withScope(who as Role, "build:read");
    // Of two permissions either suffices.
    return withScope(who as Role, who === "collaborator" ? permissions.at(-1)! : first);
  }
  return { ...signedUp, ci, as };
}

/** An administrator with a token for everything, which permits nothing in other users' namespaces. */
async function anAdmin(ci: Constellation): Promise<SignedUp> {
  const user = made(await ci.admin.post("/users", aUser({ admin: true })));
  const body = { name: "test", scope: usersToo };
  const { secret: token } = made(await ci.admin.post(`/users/${user.username}/tokens`, body));
  return { ...ci.as(token), id: user.id, username: user.username, email: user.email, token };
}
