import { each, record } from "@service-ci/client";
import { type Build, client } from "./api.js";

/** A build to submit again after changes. */
export interface Former {
  readonly build: Build;
  /** Those that came with its request, one KEY=value per line. */
  readonly variables: string;
  /** Keys of variables that the page cannot repeat. */
  readonly left: readonly string[];
}

/** Returns the name of a build in the query of the new build's page. */
export const formerName = ({ user, number }: Pick<Build, "user" | "number">): string => `${user.username}/${number}`;

/** Loads the build that the query of the new build's page names. */
export async function loadFormer(name: string): Promise<Former> {
  const [user = "", number] = name.split("/");
  const path = { user, number: Number(number) };
  const build = await record(client.api.GET("/b/{user}/{number}", { params: { path, query: { brief: "true" } } }));
  const given: string[] = [];
  const left: string[] = [];
  const variables = each((page) =>
    client.api.GET("/b/{user}/{number}/variables", { params: { path, query: { page } } }),
  );
  for await (const { key, value, masked, variable_url } of variables) {
    const isElsewhere = variable_url !== null || build.manifest.includes(`${key}=${value}`);
    if (isElsewhere || Object.hasOwn(build.group?.axes ?? {}, key)) continue;
    if (masked || value.includes("\n")) left.push(key);
    else given.push(`${key}=${value}`);
  }
  return { build, variables: given.join("\n"), left };
}
