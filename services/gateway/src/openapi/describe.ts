import { sessionCookieName } from "../auth/cookie.js";
import type { Config } from "../config.js";
import type { Groups, Row } from "../http/row.js";
import type { Lengths } from "../http/shape.js";
import { bodyOf, parametersOf } from "./requests.js";
import { failures, headers, messages, responsesOf } from "./responses.js";
import { type Json, recordsOf } from "./schema.js";
import { payloads, webhooks } from "./webhooks.js";

function operation(row: Row): Json {
  const { operation: operationId, group, permission, action } = row;
  const permissions = typeof permission === "string" ? [permission] : permission;
  const isOpen = permission === "none";
  return {
    operationId,
    tags: [group],
    summary: action.summary,
    ...(isOpen ? { security: [] } : {}),
    ...(isOpen || permissions[0] === "any" ? {} : { "x-permissions": permissions }),
    parameters: parametersOf(row),
    ...bodyOf(action),
    responses: responsesOf(row),
  };
}

const pathOf = ({ path }: Row): string => path.replace(/:(\w+)\+?/g, "{$1}");

/** Writes the length of each text that a setting limits. */
const withLengths = (description: Json, lengths: Lengths): Json =>
  JSON.parse(JSON.stringify(description), (_key, value) => {
    const { limit, ...schema } = value?.type === "string" ? value : {};
    return limit in lengths ? { ...schema, maxLength: lengths[limit as keyof Lengths] } : value;
  });

/** Returns the OpenAPI 3.1 description of the table. */
export function describe(
  rows: readonly Row[],
  groups: Groups,
  { publicUrl, build, lengths }: Pick<Config, "publicUrl" | "build" | "lengths">,
): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const row of rows) paths[pathOf(row)] = { ...paths[pathOf(row)], [row.method.toLowerCase()]: operation(row) };
  const returned = rows.flatMap(({ action: { returns, event } }) => [returns, event]);
  const types = [...returned.filter((type) => type !== undefined), ...payloads];
  const description = {
    openapi: "3.1.0",
    info: { title: "Service CI", version: build, license: { name: "Apache 2.0", identifier: "Apache-2.0" } },
    servers: [{ url: publicUrl }],
    security: [{ token: [] }, { session: [] }],
    tags: Object.entries(groups).map(([name, { about }]) => ({ name, description: about })),
    paths,
    webhooks: webhooks(),
    components: {
      schemas: { ...recordsOf(types), ...messages },
      headers,
      responses: failures,
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "An API token" },
        session: {
          type: "apiKey",
          in: "cookie",
          name: sessionCookieName({ publicUrl }),
          description: "A session of the web page",
        },
      },
    },
  };
  return withLengths(description, lengths);
}
