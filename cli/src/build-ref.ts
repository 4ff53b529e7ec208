import { each } from "@service-ci/client";
import { Failure, UsageError } from "./exit.js";
import type { Session } from "./session.js";

/** The build that an argument names. */
export type Named =
  | { readonly kind: "last" }
  | { readonly kind: "build"; readonly user?: string | undefined; readonly number: number; readonly url?: string };

/** A build's owner and number, as in the paths of the API. */
export interface BuildRef {
  readonly user: string;
  readonly number: number;
}

const forms = "Name a build as 12, alice/12, its URL, or last";

/** Parses the name of a build: `12`, `alice/12`, a URL of the build, or `last`. */
export function parseBuild(word: string): Named {
  if (word === "last") return { kind: "last" };
  const url = /^(https?:\/\/.+)\/b\/([^/?#]+)\/(\d+)(?:[/?#].*)?$/.exec(word);
  const [base, user, digits] = url
    ? url.slice(1)
    : [undefined, ...(/^(?:([^/:]+)\/)?(\d+)$/.exec(word)?.slice(1) ?? [])];
  const number = Number(digits);
  if (digits === undefined || !Number.isSafeInteger(number))
    throw new UsageError(`"${word}" is not the name of a build. ${forms}`);
  return { kind: "build", user: user && decoded(user), number, ...(base === undefined ? {} : { url: base }) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const maxSearched = 500;

/** Returns the user's newest build. The list also contains other members' builds. */
async function lastBuild({ client, user }: Session): Promise<BuildRef> {
  const { id, username } = await user();
  let searched = 0;
  const brief = "true";
  for await (const build of each((page) => client.api.GET("/builds", { params: { query: { page, brief } } }))) {
    if (build.user_id === id) return { user: username, number: build.number };
    if (++searched >= maxSearched) throw new Failure(`None of the newest ${maxSearched} builds is yours. ${forms}`);
  }
  throw new Failure("You have no builds yet. `ci submit` makes one");
}

/** Returns the build that an argument names; without an argument, the user's newest one. */
export async function findBuild(session: Session, word = "last"): Promise<BuildRef> {
  const named = parseBuild(word);
  if (named.kind === "last") return lastBuild(session);
  const { user, number, url } = named;
  if (url !== undefined && url !== session.server && url !== (await session.publicUrl()))
    throw new UsageError(`${word} is not a build of ${session.server}. Choose its server with --context or --server`);
  return { user: user ?? (await session.username()), number };
}

export const pathOf = ({ user, number }: BuildRef): string => `/b/${encodeURIComponent(user)}/${number}`;

export const nameOf = ({ user, number }: BuildRef): string => `${user}/${number}`;
