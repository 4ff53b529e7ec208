import { quoted } from "@ci/kit/rpc/fault";
import { type Build, Build_Status, type EncodedBuilds, type SubmitBuildResponse } from "@ci/proto/builds/v1/builds";
import { buildJson, buildSchema } from "@ci/rest/build";
import { buildUrl } from "@ci/rest/urls";
import { z } from "zod";
import { buildRefOf, checkMayChange, namespaceOf, visibleBuild } from "../auth/targets.js";
import { relationsFor } from "../backend/relations.js";
import type { Context } from "../context.js";
import type { Exchange } from "../http/exchange.js";
import { markReplayed } from "../http/idempotency-key.js";
import { Page } from "../http/page.js";
import { type Address, action } from "../http/row.js";
import { limitedText, manifestText, text, texts, textsByName, type Values } from "../http/shape.js";
import { outputEvent, outputQuery, outputStream, outputText, wantsStream } from "../stream/output.js";

export const status = z
  .enum(Build_Status, { error: ({ input }) => `invalid status ${quoted(String(input))}` })
  .optional();

export const brief = {
  brief: z
    .enum(["true", "false"], { error: "must be true or false" })
    .optional()
    .describe("`true`: `output` is null, which makes the response short"),
};

export const filters = {
  ...brief,
  tag: text.describe("Only builds with this tag"),
  search: limitedText("text").describe("Only builds with a tag that contains this text, whatever its case"),
  status: status.describe("Only builds with this status"),
};

export const toJson = async (ctx: Context, build: Build) => buildJson(build, await relationsFor(ctx, [build]));

export const pageOfBuilds = async (ctx: Context, { builds, page }: EncodedBuilds) =>
  new Page(await ctx.renderBuilds(builds), page);

const groupId = z
  .string()
  .regex(/^\d{1,15}$/, { error: "must be a number" })
  .transform(Number)
  .optional()
  .describe("Only builds of the group with this id");
const wholeGroup = z
  .enum(["true", "false"], { error: "must be true or false" })
  .optional()
  .describe("`true`: all builds of the build's group");

export const filtered = ({ tag = "", search = "", status, brief }: Values<typeof filters>) => ({
  tag,
  search,
  status,
  brief: brief === "true",
});

export const listBuilds = action({
  summary: "Builds of the caller and of the namespaces where the caller is a member, newest first",
  query: { ...filters, group: groupId },
  paged: true,
  returns: buildSchema,
  run: async (ctx, { query, page }) =>
    pageOfBuilds(ctx, await ctx.builds.listBuilds({ ...filtered(query), groupId: query.group, page })),
});

export const listNamespaceBuilds = action({
  summary: "Builds of a namespace, newest first",
  query: filters,
  paged: true,
  returns: buildSchema,
  target: namespaceOf,
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const { query, page } = input;
    return pageOfBuilds(ctx, await ctx.builds.listBuilds({ ...filtered(query), namespaceId, page }));
  },
});

const variables = textsByName.describe(
  "Environment variables of this build; they replace stored ones and those of the manifest and of its jobs",
);

/** What a request for a build says. */
export const submission = {
  manifest: manifestText.describe("The manifest, in YAML"),
  comment: limitedText("comment").describe("A comment on the build"),
  tags: texts.describe("Names of tags to add"),
  variables,
};

/** Returns the build that a request has made, and notes whether its entry is stored. */
export async function madeBuild(ctx: Context, exchange: Exchange, { build, recorded, replayed }: SubmitBuildResponse) {
  exchange.recorded = recorded;
  if (replayed) markReplayed(exchange);
  return toJson(ctx, build!);
}

export const submitBuild = action({
  summary: "Submits a build",
  changes: "build",
  carriesEntry: true,
  repeatable: true,
  body: submission,
  required: ["manifest"],
  returns: buildSchema,
  async run(ctx, { body: { manifest = "", comment = "", tags = [], variables = {} }, exchange }) {
    const { entry, idempotencyKey } = exchange;
    const request = { manifest, comment, tags, variables, entry, idempotencyKey };
    return madeBuild(ctx, exchange, await ctx.builds.submitBuild(request));
  },
});

export const getBuild = action({
  summary: "A build",
  query: brief,
  returns: buildSchema,
  target: visibleBuild,
  async run(ctx, input) {
    const request = { ref: await buildRefOf(ctx, input), brief: input.query.brief === "true" };
    return toJson(ctx, (await ctx.builds.getBuild(request)).build!);
  },
});

const mayChangeBuild = async (ctx: Context, address: Address): Promise<void> =>
  checkMayChange(ctx, address.exchange, await visibleBuild(ctx, address));

export const killBuild = action({
  summary: "Kills a build",
  changes: "build",
  target: mayChangeBuild,
  query: { group: wholeGroup },
  run: async (ctx, input) =>
    ctx.builds.killBuild({ ref: await buildRefOf(ctx, input), group: input.query.group === "true" }),
});

const pin = (pinned: boolean) =>
  action({
    summary: pinned ? "Keeps a build's artifacts from curation" : "Leaves a build's artifacts to curation",
    changes: "build",
    returns: buildSchema,
    run: async (ctx, input) =>
      toJson(ctx, (await ctx.builds.pinBuild({ ref: await buildRefOf(ctx, input), pinned })).build!),
  });
export const pinBuild = pin(true);
export const unpinBuild = pin(false);

export const approveBuild = action({
  summary: "Lets a build of a fork that waits for approval run",
  changes: "build",
  returns: buildSchema,
  run: async (ctx, input) => toJson(ctx, (await ctx.builds.approveBuild({ ref: await buildRefOf(ctx, input) })).build!),
});

export const restartBuild = action({
  summary: "Submits a finished build again",
  changes: "build",
  carriesEntry: true,
  repeatable: true,
  target: mayChangeBuild,
  query: { group: wholeGroup },
  body: {
    variables: variables.describe("Environment variables of the new build; it keeps the others that were given"),
  },
  refuses: ["status", "manifest", "tags"],
  returns: buildSchema,
  async run(ctx, input) {
    const ref = await buildRefOf(ctx, input);
    const restartOf = buildUrl(ref, await relationsFor(ctx, [ref]));
    const { body, query, exchange } = input;
    const { entry, idempotencyKey } = exchange;
    const asked = { variables: body.variables ?? {}, group: query.group === "true" };
    return madeBuild(ctx, exchange, await ctx.builds.restartBuild({ ref, restartOf, ...asked, entry, idempotencyKey }));
  },
});

export const getBuildOutput = action({
  summary: "The output of a build, as text or, while it grows, as server-sent events",
  media: ["text/plain", "text/event-stream"],
  file: true,
  event: outputEvent,
  query: outputQuery,
  target: visibleBuild,
  async run(ctx, input) {
    const ref = await buildRefOf(ctx, input);
    const output = { ref, timestamps: input.query.timestamps === "true" };
    if (wantsStream(input.exchange)) return outputStream(ctx, output);
    const { build } = await ctx.builds.getBuild({ ref, brief: true });
    return outputText(output, build!.outputBytes, `${input.params.user}-${ref.number}.log`);
  },
});
