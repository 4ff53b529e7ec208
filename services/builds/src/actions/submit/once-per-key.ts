import { duplicateKey } from "@ci/kit/mongo/duplicates";
import type { Caller } from "@ci/kit/rpc/caller";
import { Fault } from "@ci/kit/rpc/fault";
import type { ValidateOnly, Validation } from "@ci/kit/rpc/validated";
import { inTurn } from "@ci/kit/turns/in-turn";
import type { Build } from "@ci/proto/builds/v1/builds";
import type { Context } from "../../context.js";
import type { Idempotency } from "../../domain/idempotency.js";
import type { KeyedBuild } from "../../store/builds.js";
import { wholeBuild } from "../whole-build.js";
import { groupMembers } from "./group-members.js";

/** The build of a request, and whether an earlier request with the same key has made it. */
interface Made {
  readonly build: Build;
  readonly replayed: boolean;
}

const keyReused =
  "Idempotency-Key belongs to another request; use a new key, or repeat the request without changes to get its build";

async function findEarlier(ctx: Context, { key, request }: Idempotency): Promise<KeyedBuild | null> {
  const found = await ctx.builds.ofKey(key);
  if (found && found.idempotency.request !== request) throw new Fault("precondition", keyReused);
  return found;
}

/** Returns the build of an earlier request, as it is now. Another request may still be storing it. */
async function madeEarlier(ctx: Context, caller: Caller, found: KeyedBuild): Promise<Made> {
  // Nothing that a crash of MongoDB could take back is confirmed.
  if (!(await ctx.builds.confirmKey(found))) throw new Fault("unavailable", `Build ${found._id} was taken back`);
  if (found.group) await groupMembers(ctx, found.group.id);
  return { build: await wholeBuild(ctx, caller, found), replayed: true };
}

/** The response to a request that makes a build. The entry of a repeated request is not stored with the build. */
export const madeBuild = (made: Made, entry: object | undefined): Made & { readonly recorded: boolean } => ({
  ...made,
  recorded: entry !== undefined && !made.replayed,
});

/** Requests with one key wait for each other, so that the later ones create no namespace and take no number. */
const inTurnOfKey = inTurn<string>();

/** Makes the build, unless another request with the key makes or has made it. */
async function makeOrFind(
  ctx: Context,
  caller: Caller,
  idempotency: Idempotency,
  make: () => Promise<Made>,
): Promise<Made> {
  const meanwhile = await findEarlier(ctx, idempotency);
  if (meanwhile) return madeEarlier(ctx, caller, meanwhile);
  try {
    return await make();
  } catch (error) {
    const elsewhere = duplicateKey(error) && (await findEarlier(ctx, idempotency));
    if (!elsewhere) throw error;
    return madeEarlier(ctx, caller, elsewhere);
  }
}

/** Checks a request that makes a build. If it has a key, its change makes one build however often it is repeated. */
export async function oncePerKey(
  ctx: Context,
  { caller, validateOnly }: { readonly caller: Caller } & ValidateOnly,
  idempotency: Idempotency | undefined,
  prepare: () => Promise<Validation<Build>>,
): Promise<Validation<Made>> {
  const key = validateOnly ? undefined : idempotency;
  const earlier = key && (await findEarlier(ctx, key));
  if (earlier) return { complaints: {}, change: () => madeEarlier(ctx, caller, earlier) };
  const { complaints, change } = await prepare();
  const make = async (): Promise<Made> => ({ build: await change(), replayed: false });
  if (!key) return { complaints, change: make };
  return { complaints, change: () => inTurnOfKey(key.key, () => makeOrFind(ctx, caller, key, make)) };
}
