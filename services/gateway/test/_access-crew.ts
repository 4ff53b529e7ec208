import type { Api } from "@ci/testkit/api";
import { aUser, aWord } from "@ci/testkit/builders";
import { type Constellation, everything, made, type SignedUp } from "@ci/testkit/constellation";
import { type Asked, type Expected, type Person, people } from "./_access-table.js";

/** The people of the table, and the API as they see it. */
export type Crew = Readonly<Record<Person, SignedUp>> & {
  readonly ci: Constellation;
  /** The API for a cell: with a token that has as little as the row asks for, or lacks just that. */
  as(who: string, row: Expected, asked: Asked): Promise<Api>;
};

const usersToo = `${everything} user:read,write,delete`;
const all = everything.split(" ").flatMap((entry) => {
  const [resource, verbs = ""] = entry.split(":");
  return verbs.split(",").map((verb) => `${resource}:${verb}`);
});

/** Signs up everybody. */
export async function aCrew(ci: Constellation): Promise<Crew> {
  const signedUp = {} as Record<Person, SignedUp>;
  for (const person of people) signedUp[person] = await (person === "admin" ? anAdmin(ci) : ci.signUp());
  const tokens = new Map<string, Promise<Api>>();

  function withScope(person: Person, scope: string): Promise<Api> {
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
    if (who === "admin" || first.startsWith("user:")) return signedUp[who as Person];
    if (open) return withScope(who as Person, "build:read");
    // Of two permissions either suffices.
    return withScope(who as Person, who === "collaborator" ? permissions.at(-1)! : first);
  }
  return { ...signedUp, ci, as };
}

/** An administrator with a token for everything; in other users' namespaces that is worth nothing. */
async function anAdmin(ci: Constellation): Promise<SignedUp> {
  const user = made(await ci.admin.post("/users", aUser({ admin: true })));
  const body = { name: "test", scope: usersToo };
  const { secret: token } = made(await ci.admin.post(`/users/${user.username}/tokens`, body));
  return { ...ci.as(token), id: user.id, username: user.username, email: user.email, token };
}
