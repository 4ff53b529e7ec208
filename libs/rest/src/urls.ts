import type { Build } from "@ci/proto/builds/v1/builds";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Relations } from "./relations.js";
import { userEmbed } from "./user.js";

/** Percent-encodes a name, with its slashes if URL parsers or servers would drop a segment. */
export function segments(name: string): string {
  if (name === "." || name === "..") return `${name}%2F`;
  const parts = name.split("/");
  const isSafe = !parts.some((part) => ["", ".", ".."].includes(part));
  return parts.map(encodeURIComponent).join(isSafe ? "/" : "%2F");
}

const owner = (userId: number, relations: Relations): string =>
  encodeURIComponent(userEmbed(userId, relations).username);

export const buildUrl = (build: Pick<Build, "userId" | "number">, relations: Relations): string =>
  `${relations.url}/b/${owner(build.userId, relations)}/${build.number}`;

/** Returns the URL of a namespace. Those of its sub-resources continue with `/-/`. */
export const namespaceUrl = (namespace: Pick<Namespace, "userId" | "path">, relations: Relations): string =>
  `${relations.url}/n/${owner(namespace.userId, relations)}/${segments(namespace.path)}`;

/** Returns the URL of the namespace with this id; null if it is gone. */
export const namespaceUrlOf = (namespaceId: number, relations: Relations): string | null => {
  const namespace = relations.namespaces.get(namespaceId);
  return namespace ? namespaceUrl(namespace, relations) : null;
};

/** Returns the URL of a record, such as `U/images/7`. */
export const recordUrl = (collection: string, id: number, relations: Pick<Relations, "url">): string =>
  `${relations.url}/${collection}/${id}`;

/** Returns the URL that serves content as a file, whatever the client accepts. */
export const contentUrl = (url: string): string => `${url}?download`;

/** Like recordUrl, but returns null without an id. */
export const recordUrlIfAny = (collection: string, id: number | undefined, relations: Relations): string | null =>
  id === undefined ? null : recordUrl(collection, id, relations);
