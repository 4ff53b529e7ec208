import { z } from "zod";
import { badge } from "../content/badge.js";
import type { Context } from "../context.js";
import { type Address, action } from "../http/row.js";
import { send } from "../http/send.js";

const collections = ["builds", "namespaces", "cron", "invites", "images", "objects", "variables", "keys"];
const names = [...collections, "user", "tokens"];

export const getRoot = action({
  summary: "Addresses of the collections",
  returns: z.object(Object.fromEntries(names.map((name) => [`${name}_url`, z.url().describe(`Address of /${name}`)]))),
  run: ({ config }) => Object.fromEntries(names.map((name) => [`${name}_url`, `${config.publicUrl}/${name}`])),
});

export const getVersion = action({
  summary: "The version of the service",
  returns: z.object({ build: z.string().describe("The version") }),
  run: ({ config }) => ({ build: config.build }),
});

export const getDescription = action({
  summary: "This description",
  returns: z.looseObject({ openapi: z.string().describe("Version of OpenAPI") }),
  run: ({ documents }) => documents.description,
});

export const getHealth = action({
  summary: "Whether every backing service answers",
  unlimited: true,
  returns: z.object({ status: z.literal("ok").describe("Always `ok`") }),
  async run(ctx) {
    await ctx.checkHealth();
    return { status: "ok" };
  },
});

/** Returns the status of the newest build of a public namespace; undefined after any failure. */
async function latestStatus({ namespaces, builds }: Context, { params }: Pick<Address, "params">) {
  const { username, path } = params;
  try {
    const { namespace } = await namespaces.getNamespace({ username, path, anonymous: true });
    const { builds: latest } = await builds.getLatestBuilds({ namespaceIds: [namespace!.id] });
    return latest[0]?.status;
  } catch {
    return undefined;
  }
}

export const getBadge = action({
  summary: "The status of a public namespace's newest build, as an image for other pages",
  media: ["image/svg+xml"],
  async run(ctx, input) {
    const svg = badge(ctx.config.badgeLabel, await latestStatus(ctx, input));
    const headers = {
      "Content-Type": "image/svg+xml",
      "Cache-Control": "no-cache",
      "Cross-Origin-Resource-Policy": "cross-origin",
    };
    return ({ response }: Address["exchange"]) => send(response, 200, headers, svg);
  },
});
