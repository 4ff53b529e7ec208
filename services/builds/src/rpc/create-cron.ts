import { nextId } from "@ci/kit/mongo/ids";
import { invalid } from "@ci/kit/rpc/fault";
import { validated } from "@ci/kit/rpc/validated";
import { checkManifest, enterDestination, messagesOf } from "../actions/check-manifest.js";
import { nameTaken, takenComplaints } from "../actions/cron-names.js";
import type { Context, CronHandlers } from "../context.js";
import { type CronDoc, cronEvent, cronNameComplaints, placeIn, toCron } from "../domain/cron.js";
import { nextRun, readSchedule } from "../domain/schedule.js";

export const createCron = (ctx: Context): CronHandlers["createCron"] =>
  validated(async ({ name, schedule: given, manifest }, { caller }) => {
    const userId = caller.userId!;
    const read = readSchedule(given);
    const { destination, complaints: aboutManifest } = await checkManifest(ctx, manifest, userId);
    return {
      complaints: {
        ...(destination ? await ctx.crons.quotaComplaints(destination.ownerId ?? userId) : {}),
        name: [...cronNameComplaints(name), ...(await takenComplaints(ctx, destination, userId, name))],
        schedule: "complaint" in read ? [read.complaint] : [],
        manifest: messagesOf(aboutManifest),
      },
      async change() {
        const place = placeIn(await enterDestination(ctx, userId, destination!), userId);
        const { schedule } = read as { schedule: CronDoc["schedule"] };
        const at = ctx.now();
        const firstRun = nextRun(schedule, at);
        const doc: CronDoc = {
          _id: await nextId(ctx.db, "crons"),
          rev: 1,
          authorId: userId,
          ...place,
          name,
          schedule,
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
