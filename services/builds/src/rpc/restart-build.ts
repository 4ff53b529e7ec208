import { invalid } from "@ci/kit/rpc/fault";
import { carryOut } from "@ci/kit/rpc/validated";
import type { Build } from "@ci/proto/builds/v1/builds";
import { namespaceOf, seeBuild } from "../actions/see.js";
import { type BuildRequest, prepareBuild, submitCommit, toQueuedBuild } from "../actions/submit.js";
import type { Context, Handlers } from "../context.js";
import { type BuildDoc, isFinal } from "../domain/build.js";

/** Submits a build again. A hook build keeps its namespace and commit, and a build of a fork still gets no secrets. */
async function submitAgain(ctx: Context, { origin, namespaceId }: BuildDoc, request: BuildRequest): Promise<Build> {
  if (!origin) return carryOut(await prepareBuild(ctx, request));
  const { url, sha, bare } = origin;
  const namespace = namespaceId === undefined ? undefined : await namespaceOf(ctx, namespaceId);
  return toQueuedBuild(
    await submitCommit(ctx, { ...request, actorId: request.userId, origin: { url, sha, bare }, namespace }),
  );
}

export const restartBuild =
  (ctx: Context): Handlers["restartBuild"] =>
  async ({ ref, restartOf }, { caller }) => {
    const old = await seeBuild(ctx, caller, ref, "write");
    if (!isFinal(old.status)) throw invalid({ status: ["Status build is not finished"] });
    const build = await submitAgain(ctx, old, {
      text: old.manifest,
      isStored: true,
      leftOut: old.leftOut ?? [],
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
