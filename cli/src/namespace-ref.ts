import { encodeName } from "@service-ci/client";
import { UsageError } from "./exit.js";
import type { Session } from "./session.js";

export interface NamespaceRef {
  readonly username: string;
  readonly path: string;
}

/** Returns the namespace that `path` or `path@owner` names. */
export async function findNamespace(session: Pick<Session, "username">, word: string): Promise<NamespaceRef> {
  const [path = "", owner, ...rest] = word.split("@");
  if (path === "" || owner === "" || rest.length > 0)
    throw new UsageError(`"${word}" is not the name of a namespace. Write path or path@owner, such as team/web@alice`);
  return { username: owner ?? (await session.username()), path };
}

export const namespacePath = ({ username, path }: NamespaceRef): string =>
  `/n/${encodeURIComponent(username)}/${encodeName(path)}`;
