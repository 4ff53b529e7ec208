import { type Build, Build_Status } from "@ci/proto/builds/v1/builds";
import type { PageInfo } from "@ci/proto/common/v1/page";
import { buildJson } from "@ci/rest/build";
import { buildUrl } from "@ci/rest/urls";
import { z } from "zod";
import type { Context } from "../context.js";
import { known } from "../embed.js";
import { outputEvent, outputStream, outputText, wantsStream } from "../output.js";
import { paged } from "../page.js";
import { action } from "../row.js";
import { build } from "../schemas.js";
import { text, texts, type Values } from "../shape.js";
import { buildRefOf, namespaceOf } from "../targets.js";

/** A status as a filter names it. */
export const status = z.enum(Build_Status, { error: ({ input }) => `invalid status ${input}` }).optional();

/** How every list of builds may be narrowed. */
export const filters = { tag: text, search: text, status };

const shown = async (ctx: Context, one: Build) => buildJson(one, await known(ctx, [one]));

/** A page of builds as whole records. */
export async function pageOfBuilds(ctx: Context, found: { builds: readonly Build[]; page?: PageInfo }) {
  const all = await known(ctx, found.builds);
  const items = found.builds.map((one) => buildJson(one, all));
  return paged(items, found.page);
}

/** The filters as the builds service takes them. */
export const filtered = ({ tag = "", search = "", status }: Values<typeof filters>) => ({ tag, search, status });

export const listBuilds = action({
  summary: "Builds of the caller and of the namespaces where the caller is a member, newest first",
  query: filters,
  paged: true,
  answer: build,
  run: async (ctx, { query, page }) => pageOfBuilds(ctx, await ctx.builds.listBuilds({ ...filtered(query), page })),
});

export const listBuildsOf = action({
  summary: "Builds of a namespace, newest first",
  query: filters,
  paged: true,
  answer: build,
  target: namespaceOf,
  async run(ctx, ask) {
    const { id: namespaceId } = await namespaceOf(ctx, ask);
    return pageOfBuilds(ctx, await ctx.builds.listBuilds({ ...filtered(ask.query), namespaceId, page: ask.page }));
  },
});

export const submitBuild = action({
  summary: "Submits a build",
  body: { manifest: text, comment: text, tags: texts },
  answer: build,
  run: async (ctx, { body: { manifest = "", comment = "", tags = [] } }) =>
    shown(ctx, (await ctx.builds.submitBuild({ manifest, comment, tags })).build!),
});

export const getBuild = action({
  summary: "A build",
  answer: build,
  async run(ctx, ask) {
    return shown(ctx, (await ctx.builds.getBuild({ ref: await buildRefOf(ctx, ask), brief: false })).build!);
  },
});

export const killBuild = action({
  summary: "Kills a build",
  async run(ctx, ask) {
    await ctx.builds.killBuild({ ref: await buildRefOf(ctx, ask) });
  },
});

const pin = (pinned: boolean) =>
  action({
    summary: pinned ? "Keeps a build's artifacts from curation" : "Leaves a build's artifacts to curation",
    answer: build,
    run: async (ctx, ask) =>
      shown(ctx, (await ctx.builds.pinBuild({ ref: await buildRefOf(ctx, ask), pinned })).build!),
  });
export const pinBuild = pin(true);
export const unpinBuild = pin(false);

export const restartBuild = action({
  summary: "Submits a finished build anew",
  refuses: ["status", "manifest", "tags"],
  answer: build,
  async run(ctx, ask) {
    const ref = await buildRefOf(ctx, ask);
    const restartOf = buildUrl(ref, await known(ctx, [ref]));
    return shown(ctx, (await ctx.builds.restartBuild({ ref, restartOf })).build!);
  },
});

export const getOutput = action({
  summary: "What a build has written, as text or, as it comes, as server-sent events",
  media: ["text/plain", "text/event-stream"],
  event: outputEvent,
  async run(ctx, ask) {
    const ref = await buildRefOf(ctx, ask);
    const { build: found } = await ctx.builds.getBuild({ ref, brief: true });
    const output = { ref, sizeBytes: found!.outputBytes };
    return wantsStream(ask.exchange)
      ? outputStream(ctx, output)
      : outputText(ctx.builds, output, `${ask.params.user}-${ref.number}.log`);
  },
});
