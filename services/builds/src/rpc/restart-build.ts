import { invalid } from "@ci/kit/rpc/fault";
import type { Build } from "@ci/proto/builds/v1/builds";
import type { Context, Handlers } from "../context.js";
import { type BuildDoc, isFinal } from "../domain/build.js";
import { submit, submitCommit, submitted, type Wish } from "../submit.js";
import { namespaceOf, seeBuild } from "./see.js";

/** What a hook has made stays where it is and what it is: its commit is built, and strangers are still given nothing. */
async function submitAgain(ctx: Context, { origin, namespaceId }: BuildDoc, wish: Wish): Promise<Build> {
  if (!origin) return submit(ctx, wish);
  const { url, sha, bare } = origin;
  const namespace = namespaceId === undefined ? undefined : await namespaceOf(ctx, namespaceId);
  return submitted(await submitCommit(ctx, { ...wish, actorId: wish.userId, origin: { url, sha, bare }, namespace }));
}

export const restartBuild =
  (ctx: Context): Handlers["restartBuild"] =>
  async ({ ref, restartOf }, { caller }) => {
    const old = await seeBuild(ctx, caller, ref, "write");
    if (!isFinal(old.status)) throw invalid({ status: ["Status build is not finished"] });
    const build = await submitAgain(ctx, old, {
      text: old.manifest,
      tags: old.tags.map((tag) => tag.name),
      userId: caller.userId!,
      trigger: ({ email, username }) => ({
        type: "manual",
        comment: old.trigger?.comment ?? "",
        data: { email, username, restart_of: restartOf },
      }),
    });
    return { build };
  };
