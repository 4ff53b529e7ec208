import type { Sent } from "@ci/testkit/api";
import type { SignedUp } from "@ci/testkit/constellation";
import type { Place } from "./_access-place.js";

/** The users of the table. `former` was just removed from the collaborators. `admin` is not a member. */
export const roles = ["owner", "collaborator", "other", "former", "admin"] as const;
export type Role = (typeof roles)[number];

/** The response to each user, as text of `_access-seen.ts`. */
export type Answers = Readonly<Record<Role, string>> & Readonly<Record<string, string>>;

/** A column of contract 4.2: the responses to the users, by the place of the record. */
export type Audience = (at: Place) => Answers;

/** One request to a row of contract 5.1. */
export interface Asked extends Sent {
  readonly path: string;
  /** Id of the record in a list. Users without access get the list without it. */
  readonly id?: number;
  /** Whether a successful response is an endless stream. */
  readonly endless?: boolean;
  /** A part of the raw content. */
  readonly content?: string;
  /** The invitee, if the response depends on it. */
  readonly invitee?: SignedUp;
}

/** A route's line of the contract, and its request. */
export interface Expected {
  readonly method: string;
  /** As in contract 5.1, with parameters as `:`. A route may have several requests. */
  readonly path: string;
  /** `none`, `any`, or permissions, of which one suffices. */
  readonly permissions: readonly string[];
  readonly audience: Audience;
  /** Called for every cell, because a request may use up its target. */
  readonly ask: (at: Place) => Asked | Promise<Asked>;
  readonly variant: string;
}

/** Returns a line of the table, from texts such as `GET /builds` and `a:read or b:read`. */
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

/** The same response for all users. */
export const everyone =
  (answer: string): Audience =>
  () => ({ owner: answer, collaborator: answer, other: answer, former: answer, admin: answer });

const except = (answer: string, stranger: string, collaborator = stranger): Answers => ({
  ...everyone(stranger)({} as Place),
  owner: answer,
  collaborator,
});

/** 4.1: members see private records, all users internal and public ones, only the owner those without a namespace. */
export const viewers =
  (answer: string): Audience =>
  ({ visibility }) => {
    if (visibility === undefined) return except(answer, "404");
    return except(answer, visibility === "private" ? "404" : answer, answer);
  };

/** Only members, whatever the namespace's visibility. */
export const members =
  (answer: string, stranger = "404"): Audience =>
  ({ visibility }) =>
    visibility === undefined ? except(answer, stranger) : except(answer, stranger, answer);

/** Only the owner. */
export const owners =
  (answer: string, others = "404"): Audience =>
  () =>
    except(answer, others);

/** Creating: 400 for users who are not members. Without a namespace all users may create. */
export const creators =
  (answer: string, refusal: string, audience: (answer: string, refusal: string) => Audience = members): Audience =>
  (at) =>
    (at.visibility === undefined ? everyone(answer) : audience(answer, refusal))(at);

/** Lists have the caller's own records and those of namespaces where they are a member. */
export const memberList: Audience = members("200 listed", "200 not listed");

/** Only administrators, who alone hold the permission. */
export const admins =
  (answer: string, permission: string): Audience =>
  () => ({ ...everyone(`403 ${permission}`)({} as Place), admin: answer });
