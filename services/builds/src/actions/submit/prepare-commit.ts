import { carryOut, type Validation } from "@ci/kit/rpc/validated";
import type { Manifest } from "@ci/manifest/manifest";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../../context.js";
import { membersOf } from "../../domain/group.js";
import { type Unapproved, unapprovedComplaints } from "../../domain/hooks/unapproved.js";
import { type Origin, withOrigin } from "../../domain/origin.js";
import { parameterComplaints } from "../../domain/parameters.js";
import { submittedTags } from "../../domain/tags.js";
import { requireSubmitter } from "../find-owners.js";
import { buildLimits, messagesOf } from "../manifest/check-manifest.js";
import { manifests } from "../manifest/read-manifest.js";
import { type Narrowed, narrowed, type Occasion, reasonAgainst, withoutJobs } from "../manifest/when.js";
import type { BuildRequest } from "./prepare-build.js";
import { type QueuedBuild, queueInTurn } from "./queue-builds.js";
import { readInputs } from "./read-inputs.js";

/** A commit makes no build of a manifest, for a reason that is no mistake of the manifest. */
export class Unwanted extends Error {
  constructor(
    readonly reason: string,
    readonly wrong = false,
  ) {
    super(reason);
  }
}

/** A request to build a commit in the given namespace, whichever one its manifest names. */
export interface CommitRequest extends BuildRequest {
  readonly origin: Origin;
  readonly namespace?: Namespace | undefined;
  /** Returns the namespace right before the builds are stored. Throws if they may no longer be. */
  readonly confirm?: () => Promise<Namespace>;
  readonly actorId?: number;
  /** Absent for a restart. */
  readonly occasion?: Occasion;
  readonly awaitsApproval?: boolean;
  /** The builds without approval that exist already; limits hold for all together. */
  readonly unapproved?: Unapproved;
}

async function selectForCommit(
  manifest: Manifest,
  { occasion, leftOut = [] }: Pick<CommitRequest, "occasion" | "leftOut">,
): Promise<Narrowed> {
  if (!occasion) return withoutJobs(manifest, leftOut);
  const reason = await reasonAgainst(manifest, occasion);
  if (reason) throw new Unwanted(reason);
  return narrowed(manifest, occasion);
}

/** Checks a request to build a commit. Its change queues the build. Throws Unwanted if the manifest is not for this occasion. */
export async function prepareCommit(ctx: Context, request: CommitRequest): Promise<Validation<QueuedBuild>> {
  const limits = buildLimits(ctx.config, request.isStored);
  const read = await manifests.read(request.userId, request.text, limits);
  const { names: tags, complaints: aboutTags } = submittedTags(request.tags, ctx.config);
  const selected = "manifest" in read ? await selectForCommit(read.manifest, request) : undefined;
  const manifest = selected && withOrigin(selected.manifest, request.origin);
  const what = manifest && { ...request, tags, manifest, leftOut: selected.leftOut };
  const found = what && (await readInputs(ctx, what));
  const more = what && found && { builds: membersOf(manifest, request.axes).length, bytes: found.bytes };
  const aboutSize = more && request.unapproved ? unapprovedComplaints(request.unapproved, more) : [];
  const aboutVariables = parameterComplaints(request.parameters ?? []);
  const { userId, namespace } = request;
  const enter = request.confirm ?? (() => requireSubmitter(ctx, userId, namespace?.id));
  return {
    complaints: {
      manifest: [...messagesOf(read.complaints), ...(found?.complaints.manifest ?? []), ...aboutSize],
      tags: aboutTags,
      variables: [...aboutVariables, ...(found?.complaints.variables ?? [])],
    },
    change: () => queueInTurn(ctx, what!, found!, enter),
  };
}

/**
 * Throws `invalid` with every complaint, Unwanted if the manifest is not for this occasion, and a duplicate key error if the
 * delivery already has this build.
 */
export const submitCommit = async (ctx: Context, request: CommitRequest): Promise<QueuedBuild> =>
  carryOut(await prepareCommit(ctx, request));
