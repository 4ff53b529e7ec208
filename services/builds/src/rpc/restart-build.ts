import { invalid } from "@ci/kit/fault";
import type { Context, Handlers } from "../context.js";
import { isFinal } from "../domain/build.js";
import { toBuild } from "../domain/change.js";
import { submit } from "../submit.js";
import { seeBuild } from "./see.js";

export const restartBuild =
  (ctx: Context): Handlers["restartBuild"] =>
  async ({ ref, restartOf }, { caller }) => {
    const old = await seeBuild(ctx, caller, ref, "write");
    if (!isFinal(old.status)) throw invalid({ status: ["Status build is not finished"] });
    const doc = await submit(ctx, {
      text: old.manifest,
      tags: old.tags.map((tag) => tag.name),
      userId: caller.userId!,
      trigger: ({ email, username }) => ({
        type: "manual",
        comment: old.trigger?.comment ?? "",
        data: { email, username, restart_of: restartOf },
      }),
    });
    return { build: toBuild(doc) };
  };
