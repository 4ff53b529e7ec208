import { parseKeys } from "@ci/kit/security/secrets";

const entry = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString("base64")}`;

/** Keyrings before, during and after a rotation from one key to another. */
export const rotation = {
  before: parseKeys(entry("old", 1)),
  during: parseKeys(`${entry("new", 2)},${entry("old", 1)}`),
  after: parseKeys(entry("new", 2)),
};

export const keysNamedIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/"(\w+):[A-Za-z0-9+/]{38,}={0,2}"/g)].map(([, id]) => id!)),
];
