import { complainIfTaken } from "@ci/kit/mongo/duplicates";
import { anonymous, type Caller, runAs } from "@ci/kit/rpc/caller";
import { carryOut, type Validation, validated } from "@ci/kit/rpc/validated";
import { isOrphan } from "../actions/crons/cron-keeper.js";
import { nameTaken, takenComplaints } from "../actions/crons/cron-names.js";
import { fireCron } from "../actions/crons/fire-cron.js";
import {
  type CheckedManifest,
  checkManifest,
  enterDestination,
  manifestLimits,
  messagesOf,
} from "../actions/manifest/check-manifest.js";
import { manifests } from "../actions/manifest/read-manifest.js";
import { requireAccess, seeCron } from "../actions/see.js";
import type { Context, CronHandlers } from "../context.js";
import {
  type CronChange,
  type CronDoc,
  cronEvent,
  cronNameComplaints,
  isDue,
  mayMove,
  placementIn,
  toCron,
} from "../domain/cron.js";
import { isSameTiming, nextRun, readTiming } from "../domain/schedule.js";

type UpdateRequest = Parameters<CronHandlers["updateCron"]>[0];

/** Checks a new manifest. A namespace named without an owner belongs to the cron job's user, not to the caller. */
async function checkMove(ctx: Context, was: CronDoc, text: string, caller: number): Promise<CheckedManifest> {
  const checked = await checkManifest(ctx, text, was.userId);
  const { destination, complaints } = checked;
  const { username } = await ctx.submitter(was.userId);
  if (!destination || mayMove(was, destination, caller, username)) return checked;
  return { ...checked, complaints: [...complaints, { message: "Manifest cannot submit to namespace" }] };
}

const nameComplaints = async (
  ctx: Context,
  was: CronDoc,
  name: string,
  checked: CheckedManifest | undefined,
): Promise<string[]> => {
  if (checked) return takenComplaints(ctx, checked.destination, was.userId, name, was._id);
  return (await ctx.crons.has(was.scope, name, was._id)) ? [nameTaken] : [];
};

async function moveChanges(ctx: Context, was: CronDoc, { destination }: CheckedManifest): Promise<CronChange> {
  const placement = placementIn(await enterDestination(ctx, was.userId, destination!), was.userId);
  return placement.scope === was.scope ? {} : { namespaceId: undefined, rootId: undefined, ...placement };
}

/** Checks an update. Its change returns what to set, and creates missing namespaces. Empty fields set nothing. */
async function check(
  ctx: Context,
  was: CronDoc,
  request: UpdateRequest,
  caller: number,
): Promise<Validation<CronChange>> {
  const name = request.name || was.name;
  const { timing, complaints: aboutTiming } = readTiming(request.schedule, request.timezone, was);
  const blank = await manifests.isBlank(was.userId, request.manifest ?? "", manifestLimits(ctx.config));
  const manifest = blank ? undefined : request.manifest;
  const checked = manifest === undefined ? undefined : await checkMove(ctx, was, manifest, caller);
  const complaints = {
    name: [...cronNameComplaints(name), ...(await nameComplaints(ctx, was, name, checked))],
    ...aboutTiming,
    manifest: messagesOf(checked?.complaints ?? []),
  };
  const change = async () => {
    const takesOver = checked && (manifest !== was.manifest || (await isOrphan(ctx, was)));
    const next = nextRun(timing!, ctx.now());
    return {
      ...(request.name ? { name } : {}),
      ...(request.schedule || request.timezone ? timing : {}),
      ...(isSameTiming(timing!, was) ? {} : { nextRun: next, wakeAt: next }),
      ...(checked ? { manifest, ...(await moveChanges(ctx, was, checked)) } : {}),
      ...(takesOver ? { keeperId: caller } : {}),
    };
  };
  return { complaints, change };
}

async function update(ctx: Context, request: UpdateRequest, caller: Caller): Promise<CronDoc> {
  for (;;) {
    const was = await seeCron(ctx, caller, request.id, "write");
    if (isDue(was, ctx.now())) {
      // A due run uses the cron job as it was when it became due, without the caller's permissions.
      await runAs(anonymous(), () => fireCron(ctx, was));
      continue;
    }
    const set = await carryOut(await check(ctx, was, request, caller.userId!));
    if (Object.keys(set).length === 0) return was;
    await requireAccess(ctx, caller, "write", was);
    const act = { at: ctx.now(), actorId: caller.userId };
    const doc = await ctx.crons
      .change(was, set, (after) => cronEvent(after, "updated", act))
      .catch(complainIfTaken("name", nameTaken));
    if (!doc) continue;
    ctx.deletions.created(doc);
    return doc;
  }
}

export const updateCron = (ctx: Context): CronHandlers["updateCron"] =>
  validated(async (request, { caller }) => {
    const was = await seeCron(ctx, caller, request.id, "write");
    const { complaints } = await check(ctx, was, request, caller.userId!);
    return { complaints, change: async () => ({ cron: toCron(await update(ctx, request, caller)) }) };
  });
