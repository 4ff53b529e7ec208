import type { Sent } from "@ci/testkit/api";
import type { SignedUp } from "@ci/testkit/constellation";
import type { Place } from "./_access-place.js";

/** The users of the table. `former` has just been removed from the collaborators; `admin` is no member. */
export const roles = ["owner", "collaborator", "other", "former", "admin"] as const;
export type Role = (typeof roles)[number];

/** The answer to each of them, in the words of `_access-seen.ts`. */
export type Answers = Readonly<Record<Role, string>> & Readonly<Record<string, string>>;

/** A column of contract 4.2: the answers to the users, by the place of the record. */
export type Audience = (at: Place) => Answers;

/** One request to a row of contract 5.1. */
export interface Asked extends Sent {
  readonly path: string;
  /** The record that a list contains for those who may see it. */
  readonly id?: number;
  /** The successful answer is an endless stream. */
  readonly endless?: boolean;
  /** What the raw content contains. */
  readonly content?: string;
  /** The invitee, where the answer depends on it. */
  readonly invitee?: SignedUp;
}

/** What the contract says about a route, and how to request it. */
export interface Expected {
  readonly method: string;
  /** As in contract 5.1, with parameters as `:`. A route may have several requests. */
  readonly path: string;
  /** `none`, `any`, or permissions, of which one suffices. */
  readonly permissions: readonly string[];
  readonly audience: Audience;
  /** Called for every cell, since a request may use up its target. */
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
export const everyone =
  (answer: string): Audience =>
  () => ({ owner: answer, collaborator: answer, other: answer, former: answer, admin: answer });

const except = (answer: string, stranger: string, collaborator = stranger): Answers => ({
  ...everyone(stranger)({} as Place),
  owner: answer,
  collaborator,
});

/** 4.1: members see private records, every user internal and public ones; without namespace only the record's user. */
export const viewers =
  (answer: string): Audience =>
  ({ visibility }) => {
    if (visibility === undefined) return except(answer, "404");
    return except(answer, visibility === "private" ? "404" : answer, answer);
  };

/** Only members see it, however visible the namespace is. */
export const members =
  (answer: string, stranger = "404"): Audience =>
  ({ visibility }) =>
    visibility === undefined ? except(answer, stranger) : except(answer, stranger, answer);

/** Only the owner may do it. */
export const owners =
  (answer: string, others = "404"): Audience =>
  () =>
    except(answer, others);

/** Creating: 400 for everyone except members; without namespace every user may. */
export const creators =
  (answer: string, refusal: string, audience: (answer: string, refusal: string) => Audience = members): Audience =>
  (at) =>
    (at.visibility === undefined ? everyone(answer) : audience(answer, refusal))(at);

/** A list of the caller's own records and those of the namespaces where they are members. */
export const memberList: Audience = members("200 listed", "200 not listed");

/** Only administrators may do it and hold its permission. */
export const admins =
  (answer: string, permission: string): Audience =>
  () => ({ ...everyone(`403 ${permission}`)({} as Place), admin: answer });
