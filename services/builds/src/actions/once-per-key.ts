import { duplicateKey } from "@ci/kit/mongo/duplicates";
import type { Caller } from "@ci/kit/rpc/caller";
import { Fault } from "@ci/kit/rpc/fault";
import type { Validation } from "@ci/kit/rpc/validated";
import type { Build } from "@ci/proto/builds/v1/builds";
import type { Context } from "../context.js";
import type { Idempotency } from "../domain/idempotency.js";
import { groupMembers } from "./group-members.js";
import { outputEnd } from "./output/output.js";
import { withQueuePlace } from "./queue/queue-places.js";
import { showBuild } from "./see.js";

/** The build of a request, and whether an earlier request with the same key has made it. */
interface Made {
  readonly build: Build;
  readonly replayed: boolean;
}

const keyReused =
  "Idempotency-Key belongs to another request; use a new key, or repeat the request without changes to get its build";

/** Returns the build that an earlier request with this key has made, as it is now; undefined if there is none. */
async function earlierBuild(ctx: Context, caller: Caller, { key, request }: Idempotency): Promise<Made | undefined> {
  const found = await ctx.builds.ofKey(key);
  if (!found) return undefined;
  if (found.idempotency.request !== request) throw new Fault("precondition", keyReused);
  // Another request may still be storing it. Nothing that a crash could take back is confirmed.
  await ctx.builds.change(found._id, () => undefined);
  if (found.group) await groupMembers(ctx, found.group.id);
  const doc = await showBuild(ctx, caller, found);
  const output = await outputEnd(ctx, doc, ctx.config.outputJsonBytes);
  return { build: { ...(await withQueuePlace(ctx, doc)), output }, replayed: true };
}

/** The response to a request that makes a build. The entry of a repeated request is not stored with the build. */
export const madeBuild = (made: Made, entry: object | undefined): Made & { readonly recorded: boolean } => ({
  ...made,
  recorded: entry !== undefined && !made.replayed,
});

/** Checks a request that makes a build. If it has a key, its change makes one build however often it is repeated. */
export async function oncePerKey(
  ctx: Context,
  caller: Caller,
  idempotency: Idempotency | undefined,
  prepare: () => Promise<Validation<Build>>,
): Promise<Validation<Made>> {
  const earlier = idempotency && (await earlierBuild(ctx, caller, idempotency));
  if (earlier) return { complaints: {}, change: async () => earlier };
  const { complaints, change } = await prepare();
  return {
    complaints,
    async change() {
      try {
        return { build: await change(), replayed: false };
      } catch (error) {
        const other = idempotency && duplicateKey(error) && (await earlierBuild(ctx, caller, idempotency));
        if (!other) throw error;
        return other;
      }
    },
  };
}
