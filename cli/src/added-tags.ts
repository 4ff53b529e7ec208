import { isTagName } from "@service-ci/client";
import { UsageError } from "./exit.js";

/** Returns the tags. Throws if the API would skip one. */
export function addedTags(tags: readonly string[]): readonly string[] {
  const wrong = tags.find((name) => !isTagName(name));
  if (wrong !== undefined)
    throw new UsageError(`"${wrong}" cannot be a tag. Use a-z, A-Z, 0-9 and -_./ only, and not just . or ..`);
  return tags;
}
