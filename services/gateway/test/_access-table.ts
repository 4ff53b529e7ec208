import type { ApiRequest } from "@ci/testkit/api";
import type { SignedUp } from "@ci/testkit/constellation";
import type { Place } from "./_access-place.js";

/** The users of the table. `former` was just removed from the collaborators. `admin` is not a member. */
export const roles = ["owner", "collaborator", "other", "former", "admin"] as const;
export type Role = (typeof roles)[number];

/** The response to each user, as a text that `_access-response.ts` makes. */
export type Answers = Readonly<Record<Role, string>> & Readonly<Record<string, string>>;

/** A column of contract 4.2. Returns the responses to the users for a record in this place. */
export type Audience = (place: Place) => Answers;

/** The request of a row. */
export interface TableRequest extends ApiRequest {
  readonly path: string;
  /** Id of the record in a list. Users without access get the list without it. */
  readonly id?: number;
  /** Whether a successful response is an endless stream. */
  readonly endless?: boolean;
  /** A part of the raw content. */
  readonly content?: string;
  /** The invited user, if the response depends on the invite. */
  readonly invitee?: SignedUp;
}

/** A route of contract 5.1 with a request. */
export interface TableRow {
  readonly method: string;
  /** As in contract 5.1, with parameters as `:`. Several rows may have the same route. */
  readonly path: string;
  /** `none`, `any`, or alternatives: each is a permission, or several of which all are needed. */
  readonly permissions: readonly string[];
  readonly audience: Audience;
  /** Called for every cell, because a request may use up its target. */
  readonly request: (place: Place) => TableRequest | Promise<TableRequest>;
  readonly variant: string;
}

/** Returns a row from texts such as `GET /builds` and `a:read or b:read`. */
export function tableRow(
  route: string,
  permission: string,
  audience: Audience,
  request: TableRow["request"],
  variant = "",
): TableRow {
  const [method = "", path = ""] = route.split(" ");
  return { method, path, permissions: permission.split(" or "), audience, request, variant };
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

/** 4.1: members see private records, all users see internal and public ones. Without a namespace, only the owner does. */
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

/** Members may create records in a namespace; others get this 400. Without a namespace, all users may. */
export const creators =
  (answer: string, refusal: string, audience: (answer: string, refusal: string) => Audience = members): Audience =>
  (place) =>
    (place.visibility === undefined ? everyone(answer) : audience(answer, refusal))(place);

/** Lists contain the caller's own records and those of namespaces where the caller is a member. */
export const memberList: Audience = members("200 listed", "200 not listed");

/** Only administrators, because only they can hold the permission. */
export const admins =
  (answer: string, permission: string): Audience =>
  () => ({ ...everyone(`403 ${permission}`)({} as Place), admin: answer });
