import { nextId } from "@ci/kit/mongo/ids";
import { invalid } from "@ci/kit/rpc/fault";
import { validated } from "@ci/kit/rpc/validated";
import { nameTaken, takenComplaints } from "../actions/crons/cron-names.js";
import { checkManifest, enterDestination, messagesOf } from "../actions/manifest/check-manifest.js";
import type { Context, CronHandlers } from "../context.js";
import { type CronDoc, cronEvent, cronNameComplaints, placementIn, toCron } from "../domain/cron.js";
import { nextRun, readTiming } from "../domain/schedule.js";

export const createCron = (ctx: Context): CronHandlers["createCron"] =>
  validated(async ({ name, schedule, timezone, manifest }, { caller }) => {
    const userId = caller.userId!;
    const { timing, complaints: aboutTiming } = readTiming(schedule, timezone);
    const { destination, complaints: aboutManifest } = await checkManifest(ctx, manifest, userId);
    return {
      complaints: {
        ...(destination ? await ctx.crons.quotaComplaints(destination.ownerId ?? userId) : {}),
        name: [...cronNameComplaints(name), ...(await takenComplaints(ctx, destination, userId, name))],
        ...aboutTiming,
        manifest: messagesOf(aboutManifest),
      },
      async change() {
        const placement = placementIn(await enterDestination(ctx, userId, destination!), userId);
        const at = ctx.now();
        const firstRun = nextRun(timing!, at);
        const doc: CronDoc = {
          _id: await nextId(ctx.db, "crons"),
          rev: 1,
          authorId: userId,
          keeperId: userId,
          ...placement,
          name,
          ...timing!,
          manifest,
          nextRun: firstRun,
          createdAt: at,
          wakeAt: firstRun,
          outbox: [],
        };
        const outbox = [cronEvent(doc, "created", { at, actorId: userId })];
        if (!(await ctx.crons.insert({ ...doc, outbox }))) throw invalid({ name: [nameTaken] });
        ctx.deletions.created(doc);
        return { cron: toCron(doc) };
      },
    };
  });
