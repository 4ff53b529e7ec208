import { complainIfTaken } from "@ci/kit/mongo/mongo";
import { anonymous, runAs } from "@ci/kit/rpc/caller";
import { refuse } from "@ci/kit/rpc/refuse";
import { type Checked, checkManifest, enter } from "../check.js";
import type { Context, CronHandlers } from "../context.js";
import {
  type CronChange,
  type CronDoc,
  cronEvent,
  cronNameComplaints,
  isDue,
  mayMove,
  placeIn,
  toCron,
} from "../domain/cron.js";
import { saysNothing } from "../domain/manifest.js";
import { nextRun, readSchedule } from "../domain/schedule.js";
import { fire } from "../fire.js";
import { nameTaken, takenComplaints } from "./cron-names.js";
import { seeCron } from "./see.js";

type Ask = Parameters<CronHandlers["updateCron"]>[0];

/** What a new manifest says. Without owner its namespace is the one of the cron job's user, whoever asks. */
async function checkMove(ctx: Context, was: CronDoc, text: string, caller: number): Promise<Checked> {
  const checked = await checkManifest(ctx, text, was.userId);
  const { destination, complaints } = checked;
  const { username } = await ctx.submitter(was.userId);
  if (!destination || mayMove(was, destination, caller, username)) return checked;
  return { ...checked, complaints: [...complaints, "Manifest cannot submit to namespace"] };
}

/** Whether the name is still free where the cron job will be. */
const takenAt = async (ctx: Context, was: CronDoc, name: string, checked: Checked | undefined): Promise<string[]> => {
  if (checked) return takenComplaints(ctx, checked.destination, was.userId, name, was._id);
  return (await ctx.crons.has(was.scope, name, was._id)) ? [nameTaken] : [];
};

/** Where it will be. */
async function moved(ctx: Context, was: CronDoc, { destination }: Checked): Promise<CronChange> {
  const place = placeIn(await enter(ctx, was.userId, destination!), was.userId);
  return place.scope === was.scope ? {} : { namespaceId: undefined, rootId: undefined, ...place };
}

/** Everything an update sets, once all of it is right; what is empty sets nothing. */
async function changes(ctx: Context, was: CronDoc, ask: Ask, caller: number): Promise<CronChange> {
  const name = ask.name || was.name;
  const read = ask.schedule ? readSchedule(ask.schedule) : { schedule: was.schedule };
  const manifest = saysNothing(ask.manifest ?? "", ctx.config.manifestBytes) ? undefined : ask.manifest;
  const checked = manifest === undefined ? undefined : await checkMove(ctx, was, manifest, caller);
  refuse({
    name: [...cronNameComplaints(name), ...(await takenAt(ctx, was, name, checked))],
    schedule: "complaint" in read ? [read.complaint] : [],
    manifest: checked?.complaints ?? [],
  });
  const { schedule } = read as { schedule: CronDoc["schedule"] };
  const next = nextRun(schedule, ctx.now());
  return {
    ...(ask.name ? { name } : {}),
    ...(ask.schedule ? { schedule } : {}),
    ...(schedule === was.schedule ? {} : { nextRun: next, wakeAt: next }),
    ...(checked ? { manifest, ...(await moved(ctx, was, checked)) } : {}),
  };
}

export const updateCron =
  (ctx: Context): CronHandlers["updateCron"] =>
  async (ask, { caller }) => {
    for (;;) {
      const was = await seeCron(ctx, caller, ask.id, "write");
      if (isDue(was, ctx.now())) {
        // A run that is due is done as the cron job was when it became due, and not on behalf of the caller.
        await runAs(anonymous(), () => fire(ctx, was));
        continue;
      }
      const set = await changes(ctx, was, ask, caller.userId!);
      if (Object.keys(set).length === 0) return { cron: toCron(was) };
      const act = { at: ctx.now(), actorId: caller.userId };
      const doc = await ctx.crons
        .change(was, set, (after) => cronEvent(after, "updated", act))
        .catch(complainIfTaken("name", nameTaken));
      // It was changed meanwhile: look again.
      if (!doc) continue;
      ctx.deletions.created(doc);
      return { cron: toCron(doc) };
    }
  };
