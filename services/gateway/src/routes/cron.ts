import type { Cron } from "@ci/proto/builds/v1/crons";
import { buildSchema } from "@ci/rest/build";
import { cronJson, cronSchema } from "@ci/rest/cron";
import { checkMayChange } from "../auth/targets.js";
import { pageOfRecords } from "../backend/record-page.js";
import { relationsFor } from "../backend/relations.js";
import type { Context } from "../context.js";
import { type Address, action } from "../http/row.js";
import { manifestText, search, text } from "../http/shape.js";
import { filtered, filters, madeBuild, pageOfBuilds } from "./builds.js";

const fields = {
  name: text.describe("Name of the cron job"),
  schedule: text.describe(
    "When the build is submitted: `hourly`, `daily`, `weekly`, `monthly` or five fields such as `30 4 * * 1-5`",
  ),
  timezone: text.describe("The IANA time zone of the schedule, such as `Europe/Berlin`; UTC if missing"),
  manifest: manifestText.describe("Manifest of the builds; it also names the namespace"),
};

const find = async ({ crons }: Pick<Context, "crons">, { params: { id } }: Pick<Address, "params">): Promise<Cron> =>
  (await crons.getCron({ id })).cron!;

const mayChangeCron = async (ctx: Context, address: Address): Promise<void> =>
  checkMayChange(ctx, address.exchange, await find(ctx, address));

const toJson = async (ctx: Context, cron: Cron) => cronJson(cron, await relationsFor(ctx, [cron]));

export const listCrons = action({
  summary: "Cron jobs of the caller and of the namespaces where the caller is a member, by name",
  query: search,
  paged: true,
  returns: cronSchema,
  async run(ctx, { query: { search = "" }, page }) {
    const { crons, page: info } = await ctx.crons.listCrons({ search, page });
    return pageOfRecords(ctx, crons, cronJson, info);
  },
});

export const createCron = action({
  summary: "Creates a cron job, in the namespace that its manifest names",
  changes: "cron",
  body: fields,
  required: ["name", "manifest"],
  refuses: ["cron_jobs"],
  returns: cronSchema,
  async run(ctx, { body: { name = "", schedule, timezone, manifest = "" } }) {
    return toJson(ctx, (await ctx.crons.createCron({ name, schedule, timezone, manifest })).cron!);
  },
});

export const getCron = action({
  summary: "A cron job",
  returns: cronSchema,
  run: async (ctx, input) => toJson(ctx, await find(ctx, input)),
});

export const updateCron = action({
  summary: "Changes the name, schedule, time zone or manifest of a cron job; empty fields change nothing",
  changes: "cron",
  body: fields,
  returns: cronSchema,
  target: mayChangeCron,
  async run(ctx, { params: { id }, body: { name, schedule, timezone, manifest } }) {
    return toJson(ctx, (await ctx.crons.updateCron({ id, name, schedule, timezone, manifest })).cron!);
  },
});

export const runCron = action({
  summary: "Submits the build of a cron job now, whatever its schedule",
  changes: "build",
  refuses: ["manifest"],
  returns: buildSchema,
  carriesEntry: true,
  repeatable: true,
  target: mayChangeCron,
  async run(ctx, { params: { id }, exchange }) {
    const { entry, idempotencyKey } = exchange;
    return madeBuild(ctx, exchange, await ctx.crons.runCron({ id, entry, idempotencyKey }));
  },
});

export const deleteCron = action({
  summary: "Deletes a cron job; its builds stay",
  changes: "cron",
  run: ({ crons }, { params: { id } }) => crons.deleteCron({ id }),
});

export const listCronBuilds = action({
  summary: "Builds that a cron job has submitted, newest first",
  query: filters,
  paged: true,
  returns: buildSchema,
  target: find,
  async run(ctx, input) {
    const { id: cronId } = await find(ctx, input);
    return pageOfBuilds(ctx, await ctx.builds.listBuilds({ ...filtered(input.query), cronId, page: input.page }));
  },
});
