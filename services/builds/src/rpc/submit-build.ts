import { validated } from "@ci/kit/rpc/validated";
import { manualTrigger, prepareBuild } from "../actions/submit.js";
import type { Context, Handlers } from "../context.js";
import { parametersOf } from "../domain/parameters.js";

export const submitBuild = (ctx: Context): Handlers["submitBuild"] =>
  validated(async ({ manifest, comment, tags, variables, entry }, { caller, signal }) => {
    const { complaints, change } = await prepareBuild(ctx, {
      text: manifest,
      tags,
      parameters: parametersOf(variables),
      userId: caller.userId!,
      signal,
      trigger: manualTrigger(comment),
      cause: entry && { entry },
    });
    return { complaints, change: async () => ({ build: await change(), recorded: entry !== undefined }) };
  });
