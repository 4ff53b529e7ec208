import { asFault, Fault } from "@ci/kit/rpc/fault";
import { z } from "zod";
import { badge } from "../content/badge.js";
import type { Context } from "../context.js";
import { type Ask, action } from "../http/row.js";
import { send } from "../http/send.js";

const collections = ["builds", "namespaces", "cron", "invites", "images", "objects", "variables", "keys"];
const addresses = [...collections, "user", "tokens"];

export const root = action({
  summary: "Where everything is",
  answer: z.object(Object.fromEntries(addresses.map((name) => [`${name}_url`, z.url()]))),
  run: ({ config }) => Object.fromEntries(addresses.map((name) => [`${name}_url`, `${config.publicUrl}/${name}`])),
});

export const version = action({
  summary: "Which build of the service this is",
  answer: z.object({ build: z.string() }),
  run: ({ config }) => ({ build: config.build }),
});

export const openapi = action({
  summary: "This description",
  answer: z.looseObject({ openapi: z.string() }),
  run: ({ description }) => description,
});

/** How long a service may take to answer that it is there. */
const healthTimeoutMs = 3_000;

/** Asks each service for something it has not got: being told so is enough. */
async function checkServices({ accounts, builds, images, webhooks }: Context): Promise<void> {
  const options = { signal: AbortSignal.timeout(healthTimeoutMs) };
  const questions = [
    accounts.resolve({ userIds: [0], namespaceIds: [] }, options),
    builds.getLatestBuilds({ namespaceIds: [0] }, options),
    images.getImage({ id: 0 }, options),
    webhooks.listWebhooks({ namespaceId: 0 }, options),
  ];
  for (const answer of await Promise.allSettled(questions)) {
    if (answer.status === "fulfilled") continue;
    const { code } = asFault(answer.reason);
    if (code === "internal" || code === "unavailable") throw new Fault("unavailable", "Service unavailable");
  }
}

export const health = action({
  summary: "Whether every service behind this one answers",
  answer: z.object({ status: z.literal("ok") }),
  async run(ctx) {
    await checkServices(ctx);
    return { status: "ok" };
  },
});

/** The status of the newest build of a public namespace. Whatever is in the way of it, it is unknown. */
async function latestStatus({ namespaces, builds }: Context, { params: { username, path } }: Pick<Ask, "params">) {
  try {
    const { namespace } = await namespaces.getNamespace({ username, path, anonymous: true });
    const { builds: latest } = await builds.getLatestBuilds({ namespaceIds: [namespace!.id] });
    return latest[0]?.status;
  } catch {
    return undefined;
  }
}

export const showBadge = action({
  summary: "The status of a public namespace's newest build, for pages elsewhere",
  media: ["image/svg+xml"],
  async run(ctx, ask) {
    const svg = badge(ctx.config.badgeLabel, await latestStatus(ctx, ask));
    const headers = { "Content-Type": "image/svg+xml", "Cache-Control": "no-cache" };
    return ({ response }: Ask["exchange"]) => send(response, 200, headers, svg);
  },
});
