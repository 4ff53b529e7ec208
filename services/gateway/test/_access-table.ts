import type { Sent } from "@ci/testkit/api";
import type { SignedUp } from "@ci/testkit/constellation";
import type { Place } from "./_access-place.js";

/** Everybody the table speaks of. `former` has just been removed from the collaborators; `admin` is no member. */
export const people = ["owner", "collaborator", "other", "former", "admin"] as const;
export type Person = (typeof people)[number];

/** What each of them is answered, in the words of `_access-seen.ts`. */
export type Answers = Readonly<Record<Person, string>> & Readonly<Record<string, string>>;

/** A column of contract 4.2: what is answered to whom, by where the record is. */
export type Audience = (at: Place) => Answers;

/** One request to a row of contract 5.1. */
export interface Asked extends Sent {
  readonly path: string;
  /** What a list is to hold for those who may see it. */
  readonly id?: number;
  /** The answer to those who may see it is a stream without end. */
  readonly endless?: boolean;
  /** What the raw content is to hold. */
  readonly content?: string;
  /** Whom an invite is addressed to, where that decides. */
  readonly invitee?: SignedUp;
}

/** What the contract says about a route, and how it is asked for. */
export interface Expected {
  readonly method: string;
  /** As in contract 5.1, parameters as `:`. A route may be asked for in more than one way. */
  readonly path: string;
  /** `none`, `any`, or the permissions of which one suffices. */
  readonly permissions: readonly string[];
  readonly audience: Audience;
  /** Called for every cell: what a request uses up is made anew. */
  readonly ask: (at: Place) => Asked | Promise<Asked>;
  readonly variant: string;
}

/** Writes a line of the table: `GET /builds`, `a:read or b:read`. */
export function expected(
  route: string,
  permission: string,
  audience: Audience,
  ask: Expected["ask"],
  variant = "",
): Expected {
  const [method = "", path = ""] = route.split(" ");
  return { method, path, permissions: permission.split(" or "), audience, ask, variant };
}

/** The same answer to all. */
export const everybody =
  (answer: string): Audience =>
  () => ({ owner: answer, collaborator: answer, other: answer, former: answer, admin: answer });

const but = (answer: string, stranger: string, collaborator = stranger): Answers => ({
  ...everybody(stranger)({} as Place),
  owner: answer,
  collaborator,
});

/** 4.1: members see what is private, every user what is internal or public; without namespace only its user. */
export const viewers =
  (answer: string): Audience =>
  ({ visibility }) => {
    if (visibility === undefined) return but(answer, "404");
    return but(answer, visibility === "private" ? "404" : answer, answer);
  };

/** What is hidden from all but members, however visible the namespace is. */
export const members =
  (answer: string, stranger = "404"): Audience =>
  ({ visibility }) =>
    visibility === undefined ? but(answer, stranger) : but(answer, stranger, answer);

/** What only the owner may do. */
export const owners =
  (answer: string, others = "404"): Audience =>
  () =>
    but(answer, others);

/** Submitting and creating: refused with 400 to all but members; without namespace everybody does it for themselves. */
export const creators =
  (answer: string, refusal: string, audience: (answer: string, refusal: string) => Audience = members): Audience =>
  (at) =>
    (at.visibility === undefined ? everybody(answer) : audience(answer, refusal))(at);

/** A list of the caller's own records and those of the namespaces where they are members. */
export const memberList: Audience = members("200 listed", "200 not listed");

/** What is only for administrators, who alone may hold its permission. */
export const admins =
  (answer: string, permission: string): Audience =>
  () => ({ ...everybody(`403 ${permission}`)({} as Place), admin: answer });
