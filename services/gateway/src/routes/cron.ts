import type { Cron } from "@ci/proto/builds/v1/crons";
import { cronJson } from "@ci/rest/cron";
import type { Context } from "../context.js";
import { known } from "../backend/relations.js";
import { paged } from "../http/page.js";
import { type Ask, action } from "../http/row.js";
import { build, cron } from "../schemas.js";
import { text } from "../http/shape.js";
import { checkMayChange } from "../auth/targets.js";
import { filtered, filters, pageOfBuilds } from "./builds.js";

const search = { search: text };
const fields = { name: text, schedule: text, manifest: text };

const find = async ({ crons }: Pick<Context, "crons">, { params: { id } }: Pick<Ask, "params">): Promise<Cron> =>
  (await crons.getCron({ id })).cron!;

const shown = async (ctx: Context, one: Cron) => cronJson(one, await known(ctx, [one]));

export const listCrons = action({
  summary: "Cron jobs of the caller and of the namespaces where the caller is a member, by name",
  query: search,
  paged: true,
  answer: cron,
  async run(ctx, { query: { search = "" }, page }) {
    const found = await ctx.crons.listCrons({ search, page });
    const all = await known(ctx, found.crons);
    const items = found.crons.map((one) => cronJson(one, all));
    return paged(items, found.page);
  },
});

export const createCron = action({
  summary: "Creates a cron job, in the namespace that its manifest names",
  body: fields,
  answer: cron,
  async run(ctx, { body: { name = "", schedule, manifest = "" } }) {
    return shown(ctx, (await ctx.crons.createCron({ name, schedule, manifest })).cron!);
  },
});

export const getCron = action({
  summary: "A cron job",
  answer: cron,
  run: async (ctx, ask) => shown(ctx, await find(ctx, ask)),
});

export const updateCron = action({
  summary: "Changes name, schedule or manifest of a cron job; what is empty stays",
  body: fields,
  answer: cron,
  target: async (ctx, ask) => checkMayChange(ctx, ask.exchange, await find(ctx, ask)),
  async run(ctx, { params: { id }, body: { name, schedule, manifest } }) {
    return shown(ctx, (await ctx.crons.updateCron({ id, name, schedule, manifest })).cron!);
  },
});

export const deleteCron = action({
  summary: "Deletes a cron job; the builds it has made stay",
  async run({ crons }, { params: { id } }) {
    await crons.deleteCron({ id });
  },
});

export const listBuildsBy = action({
  summary: "Builds that a cron job has made, newest first",
  query: filters,
  paged: true,
  answer: build,
  target: find,
  async run(ctx, ask) {
    const { id: cronId } = await find(ctx, ask);
    return pageOfBuilds(ctx, await ctx.builds.listBuilds({ ...filtered(ask.query), cronId, page: ask.page }));
  },
});
