import type { Build } from "./api.js";

const inBlock = /^namespace:[ \t]*["']?(?<name>[^\s#"']*).*$/m;
const inFlow = /(?<=[{,]\s*)(["']?)namespace\1\s*:\s*["']?(?<name>[^\s"',}]*)["']?/;

/** Returns a build's manifest for another user, with the namespace that the build belongs to. */
export function manifestFor(me: string, { manifest, namespace, user }: Pick<Build, "manifest" | "namespace" | "user">) {
  if (!namespace) return manifest;
  const { path, user: owner } = namespace;
  const isFlow = manifest.trimStart().startsWith("{");
  const pattern = isFlow ? inFlow : inBlock;
  const named = pattern.exec(manifest)?.groups?.name;
  const full = `${path}@${owner.username}`;
  const isMine = owner.username === me;
  if (named === full || (named === path && isMine && user.username === me)) return manifest;
  const wanted = isMine ? path : full;
  const key = isFlow ? `"namespace": "${wanted}"` : `namespace: ${wanted}`;
  if (named !== undefined) return manifest.replace(pattern, key);
  return isFlow ? manifest.replace("{", `{${key}, `) : manifest.replace(/^(?=[a-z"'])/m, `${key}\n`);
}
