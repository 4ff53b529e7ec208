import type { Assignment } from "@ci/proto/builds/v1/queue";
import { isBelow } from "../caches/names.js";
import type { Environment } from "../driver.js";
import { keyFiles } from "./keys.js";

/** Returns the names in archives of a build's objects and keys below these names, even if they could not be placed. */
export function placedBelow(
  wanted: readonly string[],
  { objects, keys }: Pick<Assignment, "objects" | "keys">,
  { sshFolder, trees }: Pick<Environment, "sshFolder" | "trees">,
): string[] {
  // In the destination of an object, `~` is the name of a folder.
  const ofObjects = objects.map(({ name }) => (name.startsWith("~/") ? `./${name}` : name));
  const ofKeys = keyFiles(keys).map((name) => `${sshFolder}/${name}`);
  const names = [...ofObjects, ...ofKeys].map((path) => trees.nameOf(path));
  return names.filter((name) => wanted.some((folder) => isBelow(name, folder)));
}
