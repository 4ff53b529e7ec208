import { duplicateKey } from "@ci/kit/mongo/mongo";
import { traced } from "@ci/kit/process/trace";
import { anonymous, runAs } from "@ci/kit/rpc/caller";
import { asFault } from "@ci/kit/rpc/fault";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "./context.js";
import type { BuildDoc } from "./domain/build.js";
import { type CronDoc, cronEvent, failed, gone, isDue, ran } from "./domain/cron.js";
import { submitRun } from "./submit.js";

/** Long enough for a build to be made, short enough for somebody else to make it within a minute of its due time. */
const claimMs = 15_000;

/** What has become of the user and the namespace of a cron job. */
async function whereabouts({ accounts }: Context, { userId, namespaceId }: CronDoc) {
  const namespaceIds = namespaceId === undefined ? [] : [namespaceId];
  const { users, namespaces } = await accounts.resolve({ userIds: [userId], namespaceIds });
  const user = users.find(({ id }) => id === userId);
  const namespace = namespaces.find(({ id }) => id === namespaceId);
  return {
    userGone: user === undefined || user.deletedAt !== undefined,
    namespaceGone: namespaceId !== undefined && namespace === undefined,
    namespace,
  };
}

/** Deletes a cron job together with its user or namespace; if it was changed meanwhile, it has to be found again. */
export async function drop(ctx: Pick<Context, "crons" | "now">, doc: CronDoc, what: "user" | "namespace") {
  const at = ctx.now();
  await ctx.crons.change(doc, gone(doc, at), (after) =>
    cronEvent(after, "deleted", { at }, what === "namespace" ? "nobody" : "namespace"),
  );
}

/** The one build of the due run: the one that is there, or a new one. */
async function buildOfRun(ctx: Context, doc: CronDoc, namespace: Namespace | undefined): Promise<BuildDoc> {
  const made = await ctx.builds.ofRun(doc._id, doc.nextRun);
  if (made) return made;
  try {
    return await submitRun(ctx, doc, namespace);
  } catch (error) {
    const other = duplicateKey(error) && (await ctx.builds.ofRun(doc._id, doc.nextRun));
    if (other) return other;
    throw error;
  }
}

/**
 * Does the due run of a cron job: one build, or `last_error`. The build is stored under the run's due time, which is
 * unique, and the run counts as done only after that. So whoever dies at any line leaves something that can be done
 * again, and those who do it at the same time make one build.
 */
export async function fire(ctx: Context, doc: CronDoc): Promise<void> {
  const { userGone, namespaceGone, namespace } = await whereabouts(ctx, doc);
  if (userGone || namespaceGone) return drop(ctx, doc, namespaceGone ? "namespace" : "user");
  try {
    const build = await buildOfRun(ctx, doc, namespace);
    await ctx.crons.change(doc, ran(doc, build.createdAt!));
  } catch (error) {
    const { code, fields = {} } = asFault(error);
    if (code !== "invalid") throw error;
    await ctx.crons.change(doc, failed(doc, ctx.now(), Object.values(fields).flat().join("\n")));
  }
}

/** Looks after a cron job that wakes: does its due run. */
export async function tend(ctx: Context, was: CronDoc): Promise<void> {
  const now = ctx.now();
  // Others leave it alone for a while; and a change made of what was read before is made anew.
  const doc = await ctx.crons.change(was, { wakeAt: new Date(now.getTime() + claimMs) });
  if (!doc) return;
  if (isDue(doc, now))
    return runAs(anonymous(), () =>
      traced("fire cron job", { begin: true, attributes: { "ci.cron": doc._id } }, () => fire(ctx, doc)),
    );
  await ctx.crons.change(doc, { wakeAt: doc.nextRun });
}
