import { quoted } from "@ci/kit/rpc/fault";

const resources = ["build", "invite", "image", "namespace", "object", "variable", "key", "cron", "webhook", "user"];
const permissions = ["read", "write", "delete"];

/** Every `resource:permission`, in canonical order. */
export const everyPermission: readonly string[] = resources.flatMap((resource) =>
  permissions.map((permission) => `${resource}:${permission}`),
);

const message = (text: string, given: string) => (given === "" ? text : `${text} ${quoted(given)}`);

/** Returns the permissions that a scope names, in canonical order, and what is wrong with its text. */
export function readScope(text: string): { granted: readonly string[]; complaints: readonly string[] } {
  const named = new Set<string>();
  const complaints = new Set<string>();
  for (const entry of text.split(" ").filter((entry) => entry !== "")) {
    const [resource = "", rest = ""] = [entry.split(":", 1)[0], entry.slice(entry.indexOf(":") + 1)];
    if (!resources.includes(resource)) complaints.add(message("Scope invalid resource", resource));
    for (const permission of entry.includes(":") ? rest.split(",") : [""]) {
      if (!permissions.includes(permission)) complaints.add(message("Scope invalid permission", permission));
      named.add(`${resource}:${permission}`);
    }
  }
  if (named.size === 0) complaints.add("Scope field required");
  return { granted: everyPermission.filter((permission) => named.has(permission)), complaints: [...complaints] };
}

/** Writes permissions as the text of a scope: `build:read,write image:read`. */
export function formatScope(granted: readonly string[]): string {
  const entries = resources.map((resource) => {
    const own = permissions.filter((permission) => granted.includes(`${resource}:${permission}`));
    return own.length > 0 ? [`${resource}:${own.join(",")}`] : [];
  });
  return entries.flat().join(" ");
}

/** Returns the wanted permissions that a scope does not grant. */
export function lacking(wanted: readonly string[], scope: string): string[] {
  const { granted } = readScope(scope);
  return wanted.filter((permission) => !granted.includes(permission));
}
