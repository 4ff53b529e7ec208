import type { Build, BuildVariable } from "@ci/proto/builds/v1/builds";
import type { Variable } from "@ci/proto/namespaces/v1/resources";
import { buildEmbed } from "./build.js";
import { ownershipJson } from "./ownership.js";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { recordUrl, recordUrlIfAny } from "./urls.js";

// The services mask already; a value that slipped through one of them ends here.
const shownValue = ({ value, masked }: { value: string; masked: boolean }) => (masked ? "xxxxxx" : value);

/** A variable; a masked value is never shown. */
export const variableJson = (variable: Variable, known: Relations) => ({
  id: variable.id,
  author_id: variable.authorId,
  user_id: variable.userId,
  namespace_id: variable.namespaceId ?? null,
  key: variable.key,
  value: shownValue(variable),
  masked: variable.masked,
  url: recordUrl("variables", variable.id, known),
  created_at: time(variable.createdAt),
  ...ownershipJson(variable, known),
});

/** A variable as it was copied into a build. */
export const buildVariableJson = (variable: BuildVariable, build: Build, known: Relations) => ({
  id: variable.id,
  build_id: variable.buildId,
  key: variable.key,
  value: shownValue(variable),
  masked: variable.masked,
  variable_url: recordUrlIfAny("variables", variable.variableId, known),
  build: buildEmbed(build, known),
});
