import type { Assignment } from "@ci/proto/builds/v1/queue";
import type { Environment } from "../driver.js";
import { keyFiles } from "./keys.js";

/** Returns the names in archives of a build's objects and keys, even of those that could not be placed. */
export function placedNames(
  { objects, keys }: Pick<Assignment, "objects" | "keys">,
  { sshFolder, trees }: Pick<Environment, "sshFolder" | "trees">,
): string[] {
  // In the destination of an object, `~` is the name of a folder.
  const ofObjects = objects.map(({ name }) => (name.startsWith("~/") ? `./${name}` : name));
  const ofKeys = keyFiles(keys).map((name) => `${sshFolder}/${name}`);
  return [...ofObjects, ...ofKeys].map((path) => trees.nameOf(path));
}
