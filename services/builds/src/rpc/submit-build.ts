import { validated } from "@ci/kit/rpc/validated";
import { madeBuild, oncePerKey } from "../actions/submit/once-per-key.js";
import { manualTrigger, prepareBuild } from "../actions/submit/prepare-build.js";
import type { Context, Handlers } from "../context.js";
import { idempotencyOf, inFixedOrder } from "../domain/idempotency.js";
import { parametersOf } from "../domain/parameters.js";

export const submitBuild = (ctx: Context): Handlers["submitBuild"] =>
  validated(async ({ manifest, comment, tags, variables, entry, idempotencyKey }, call) => {
    const userId = call.caller.userId!;
    const request = ["submitBuild", manifest, comment, tags, inFixedOrder(variables)] as const;
    const idempotency = idempotencyOf(userId, idempotencyKey, request);
    const { complaints, change } = await oncePerKey(ctx, call, idempotency, () =>
      prepareBuild(ctx, {
        text: manifest,
        tags,
        parameters: parametersOf(variables),
        userId,
        signal: call.signal,
        trigger: manualTrigger(comment),
        cause: entry && { entry },
        idempotency,
      }),
    );
    return { complaints, change: async () => madeBuild(await change(), entry) };
  });
