import { invalid, notFound } from "@ci/kit/rpc/fault";
import { type Validation, validated } from "@ci/kit/rpc/validated";
import { decrypt } from "@ci/kit/security/secrets";
import type { Build } from "@ci/proto/builds/v1/builds";
import { namespaceOf, seeBuild } from "../actions/see.js";
import { groupMembers } from "../actions/submit/group-members.js";
import { madeBuild, oncePerKey } from "../actions/submit/once-per-key.js";
import { type BuildRequest, prepareBuild } from "../actions/submit/prepare-build.js";
import { prepareCommit } from "../actions/submit/prepare-commit.js";
import { toQueuedBuild } from "../actions/submit/queue-builds.js";
import type { Context, Handlers } from "../context.js";
import { isForgotten } from "../domain/approval.js";
import { type BuildDoc, isFinal } from "../domain/build.js";
import { type Idempotency, idempotencyOf, inFixedOrder } from "../domain/idempotency.js";
import { parametersAgain, parametersOf } from "../domain/parameters.js";
import { withoutDots } from "../domain/tags.js";

const notKept =
  "Manifest was not kept, because the build was killed before a member approved it; redeliver its hook delivery instead";

/** Submits a build again, to its namespace. A hook build keeps its commit, and a build of a fork still gets no secrets. */
async function prepareAgain(
  ctx: Context,
  { origin, namespaceId }: Pick<BuildDoc, "origin" | "namespaceId">,
  request: BuildRequest,
): Promise<Validation<Build>> {
  const namespace = namespaceId === undefined ? undefined : await namespaceOf(ctx, namespaceId);
  if (namespaceId !== undefined && !namespace) throw notFound();
  if (!origin) return prepareBuild(ctx, { ...request, destination: { namespace } });
  // A newer push does not kill a restart of an earlier one.
  const { deliveryId: _delivery, path: _path, subject: _subject, order: _order, ...again } = origin;
  const commit = { ...request, actorId: request.userId, origin: again, namespace };
  const { complaints, change } = await prepareCommit(ctx, commit);
  return { complaints, change: async () => toQueuedBuild(await change()) };
}

type Restart = Parameters<Handlers["restartBuild"]>;

async function prepareRestart(
  ctx: Context,
  { ref, restartOf, variables, group: all, entry }: Restart[0],
  { caller, signal }: Restart[1],
  idempotency: Idempotency | undefined,
): Promise<Validation<Build>> {
  const old = await seeBuild(ctx, caller, ref, ["origin", "variables", "leftOut", "jobs"], "write");
  const members = all && old.group ? await groupMembers(ctx, old.group.id) : [old];
  if (!members.every(({ status }) => isFinal(status))) throw invalid({ status: ["Status build is not finished"] });
  if (isForgotten(old)) throw invalid({ manifest: [notKept] });
  const plain = (sealed: string, id: number) => decrypt(ctx.config.keyring, sealed, { kind: "build variable", id });
  return prepareAgain(ctx, old, {
    text: old.manifest,
    isStored: true,
    axes: all && old.group ? undefined : old.axes,
    parameters: parametersAgain(old, parametersOf(variables), plain),
    leftOut: old.leftOut ?? [],
    tags: old.tags.map((tag) => withoutDots(tag.name)),
    userId: caller.userId!,
    signal,
    cause: entry && { entry },
    idempotency,
    trigger: ({ email, username }) => ({
      type: "manual",
      comment: old.trigger?.comment ?? "",
      data: { email, username, restart_of: restartOf },
    }),
  });
}

export const restartBuild = (ctx: Context): Handlers["restartBuild"] =>
  validated(async (request, call) => {
    const { ref, variables, group, entry, idempotencyKey } = request;
    const { caller } = call;
    const asked = ["restartBuild", ref?.userId, ref?.number, group, inFixedOrder(variables)] as const;
    const idempotency = idempotencyOf(caller.userId!, idempotencyKey, asked);
    const { complaints, change } = await oncePerKey(ctx, call, idempotency, () =>
      prepareRestart(ctx, request, call, idempotency),
    );
    return { complaints, change: async () => madeBuild(await change(), entry) };
  });
