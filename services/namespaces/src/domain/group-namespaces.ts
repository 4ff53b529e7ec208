import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { pathComplaints } from "./path.js";
import { usernameComplaints } from "./user.js";

/** The members of a provider's group collaborate on the tree of this namespace. */
export interface GroupNamespace {
  readonly group: string;
  readonly owner: string;
  readonly elements: readonly string[];
}

const maxEntries = fixedLimit({
  max: 100,
  about: "entries of `OIDC_GROUP_NAMESPACES`",
  effect: "the service does not start",
});
const maxGroupLength = fixedLimit({
  max: 255,
  about: "characters of a group in `OIDC_GROUP_NAMESPACES`",
  effect: "the service does not start",
});

function parseEntry(entry: string): GroupNamespace {
  const wrong = (what: string) => new Error(`has the entry "${entry}": ${what}`);
  // Group names from directories contain `=` themselves.
  const at = entry.lastIndexOf("=");
  const group = entry.slice(0, Math.max(at, 0)).trim();
  if (group === "") throw wrong("write it as group=user/namespace");
  if ([...group].length > maxGroupLength) throw wrong(`the group has more than ${maxGroupLength} characters`);
  const [owner = "", ...elements] = entry
    .slice(at + 1)
    .trim()
    .split("/");
  const [complaint] = [...usernameComplaints(owner), ...pathComplaints(elements.length > 0 ? elements : [""])];
  if (complaint) throw wrong(complaint);
  return { group, owner, elements };
}

/** Parses `group=user/namespace; …`. Throws an error that quotes a wrong entry. */
export function parseGroupNamespaces(text: string): GroupNamespace[] {
  const entries = text.split(";").map((entry) => entry.trim());
  const named = entries.filter((entry) => entry !== "");
  if (named.length > maxEntries) throw new Error(`has ${named.length} entries; at most ${maxEntries} are allowed`);
  return named.map(parseEntry);
}
