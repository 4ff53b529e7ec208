import type { Build, BuildVariable } from "@ci/proto/builds/v1/builds";
import type { Variable } from "@ci/proto/namespaces/v1/resources";
import { z } from "zod";
import { buildCopySchema, buildEmbed } from "./build.js";
import { owned, owners, ownershipJson } from "./ownership.js";
import type { Relations } from "./relations.js";
import { id, record, url } from "./schema.js";
import { time } from "./time.js";
import { recordUrl, recordUrlIfAny } from "./urls.js";

export const variableSchema = record("Variable", "An environment variable for builds", {
  id: id.describe("Id of the variable"),
  author_id: owned.author_id,
  user_id: owned.user_id,
  namespace_id: owned.namespace_id,
  key: z.string().describe("Name of the environment variable"),
  value: z.string().describe("Value; `xxxxxx` for a masked variable"),
  masked: z.boolean().describe("Whether the value is hidden from responses and output"),
  url: owned.url,
  created_at: owned.created_at,
  ...owners,
});

export const buildVariableSchema = record("BuildVariable", "A variable as it was copied into a build", {
  id: id.describe("Id of this copy"),
  build_id: id.describe("Id of the build"),
  key: z.string().describe("Name of the environment variable"),
  value: z.string().describe("Value; `xxxxxx` for a masked variable"),
  masked: z.boolean().describe("Whether the value is hidden from responses and output"),
  variable_url: url.nullable().describe("Address of the variable; null if it does not exist"),
  build: buildCopySchema.describe("The build"),
});

// The services mask values already. This is a second line of defence.
const maskedValue = ({ value, masked }: { value: string; masked: boolean }) => (masked ? "xxxxxx" : value);

/** Returns a variable, without the value if it is masked. */
export const variableJson = (variable: Variable, relations: Relations): z.output<typeof variableSchema> => ({
  id: variable.id,
  author_id: variable.authorId,
  user_id: variable.userId,
  namespace_id: variable.namespaceId ?? null,
  key: variable.key,
  value: maskedValue(variable),
  masked: variable.masked,
  url: recordUrl("variables", variable.id, relations),
  created_at: time(variable.createdAt),
  ...ownershipJson(variable, relations),
});

/** Returns a variable as it was copied into a build. */
export const buildVariableJson = (
  variable: BuildVariable,
  build: Build,
  relations: Relations,
): z.output<typeof buildVariableSchema> => ({
  id: variable.id,
  build_id: variable.buildId,
  key: variable.key,
  value: maskedValue(variable),
  masked: variable.masked,
  variable_url: recordUrlIfAny("variables", variable.variableId, relations),
  build: buildEmbed(build, relations),
});
