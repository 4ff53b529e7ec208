import { type components, each, record } from "@service-ci/client";
import { type Build, client } from "./api.js";

type Variable = Pick<components["schemas"]["BuildVariable"], "key" | "value" | "masked">;

/** A build to submit again after changes. */
export interface Former {
  readonly build: Build;
  /** Those that came with its request, one KEY=value per line. */
  readonly variables: string;
  /** Keys of variables that are not copied, by reason. */
  readonly left: Readonly<Record<string, readonly string[]>>;
}

/** Returns the name of a build in the query of the new build's page. */
export const formerName = ({ user, number }: Pick<Build, "user" | "number">): string => `${user.username}/${number}`;

function reasonToLeave({ key, value, masked }: Variable, words: ReadonlySet<string>): string | undefined {
  if (masked) return "masked";
  if (/[\r\n]/.test(value)) return "several lines";
  return words.has(key) ? "also named in the manifest" : undefined;
}

/** Loads the build that the query of the new build's page names. */
export async function loadFormer(name: string): Promise<Former> {
  const [user = "", number] = name.split("/");
  const path = { user, number: Number(number) };
  const build = await record(client.api.GET("/b/{user}/{number}", { params: { path, query: { brief: "true" } } }));
  const given: string[] = [];
  const left: Record<string, string[]> = {};
  // A command or a driver that uses a variable does not set it.
  const words = new Set(build.manifest.match(/(?<!\$\{?)\b\w+/g));
  const variables = each((page) =>
    client.api.GET("/b/{user}/{number}/variables", { params: { path, query: { page } } }),
  );
  for await (const variable of variables) {
    if (variable.variable_url !== null) continue;
    const { key, value } = variable;
    const reason = reasonToLeave(variable, words);
    if (reason === undefined) given.push(`${key}=${value}`);
    else left[reason] = [...(left[reason] ?? []), key];
  }
  return { build, variables: given.join("\n"), left };
}
