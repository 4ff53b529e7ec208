import type { Validation } from "@ci/kit/rpc/validated";
import type { Complaint } from "@ci/manifest/complaints";
import type { Manifest } from "@ci/manifest/manifest";
import type { Axes } from "@ci/manifest/matrix";
import type { Build, Trigger } from "@ci/proto/builds/v1/builds";
import type { Context } from "../../context.js";
import type { Destination } from "../../domain/cron.js";
import type { Cause } from "../../domain/entry.js";
import type { Submission } from "../../domain/new-build.js";
import { type Parameter, parameterComplaints } from "../../domain/parameters.js";
import { submittedTags } from "../../domain/tags.js";
import { checkManifest, enterDestination, messagesOf } from "../manifest/check-manifest.js";
import { narrowed, withoutJobs } from "../manifest/when.js";
import { queueInTurn, toQueuedBuild } from "./queue-builds.js";
import { readInputs } from "./read-inputs.js";
import type { Submitter } from "./submitters.js";

export interface BuildRequest {
  readonly text: string;
  readonly tags: readonly string[];
  readonly userId: number;
  /** Absent if the request that makes the builds has an entry of the audit log already. */
  readonly cause?: Cause | undefined;
  readonly trigger: (user: Submitter) => Trigger;
  /** The manifest is that of an earlier build or cron job, and read as it was then. */
  readonly isStored?: boolean;
  readonly parameters?: readonly Parameter[];
  /** For a restart: the jobs that the earlier build left out. Otherwise their `when` decides. */
  readonly leftOut?: readonly number[];
  /** The combination of the matrix to build; all of them if absent. */
  readonly axes?: Axes;
  /** Fires when nobody will hear of the builds. Those that are not stored by then never are. */
  readonly signal?: AbortSignal;
  readonly idempotency?: Submission["idempotency"];
  /** For a restart: where the builds go, whichever namespace the manifest names. */
  readonly destination?: Pick<Destination, "namespace">;
}

export const manualTrigger =
  (comment: string) =>
  ({ email, username }: Submitter): Trigger => ({ type: "manual", comment, data: { email, username } });

/** Reads a request for a build. Returns its valid parts and every complaint; makes nothing. */
async function readRequest(ctx: Context, request: BuildRequest) {
  const { text, userId, isStored, tags, parameters = [], leftOut, destination: given } = request;
  const how = { acceptedDrivers: ctx.config.drivers, isStored, destination: given };
  const checked = await checkManifest(ctx, text, userId, how);
  const { names, complaints: aboutTags } = submittedTags(tags, ctx.config);
  const { manifest, destination } = checked;
  const selected =
    manifest && (leftOut ? withoutJobs(manifest, leftOut) : await narrowed(manifest, { event: "manual" }));
  const what = selected && { ...request, ...selected, tags: names, parameters };
  // A namespace that does not exist yet has no inputs of its own, but inherits those of the namespaces above it.
  const read = what && destination && (await readInputs(ctx, { ...what, ...destination }));
  const aboutInputs = (read?.complaints.manifest ?? []).map((message) => ({ message }));
  return {
    manifest,
    destination,
    order: what && read && { ...what, ...read },
    aboutManifest: [...checked.complaints, ...aboutInputs],
    aboutTags,
    aboutVariables: [...parameterComplaints(parameters), ...(read?.complaints.variables ?? [])],
  };
}

/** Returns every complaint about a request for a build, and its manifest if that can be read. */
export async function checkDraft(
  ctx: Context,
  request: Omit<BuildRequest, "trigger">,
): Promise<{ complaints: readonly Complaint[]; manifest?: Manifest }> {
  const { aboutManifest, aboutTags, aboutVariables, manifest } = await readRequest(ctx, {
    ...request,
    trigger: manualTrigger(""),
  });
  const others = [...aboutTags, ...aboutVariables].map((message) => ({ message }));
  return { complaints: [...aboutManifest, ...others], manifest };
}

/** Checks a request for a build. Its change creates missing namespaces and queues the build. */
export async function prepareBuild(ctx: Context, request: BuildRequest): Promise<Validation<Build>> {
  const { userId } = request;
  const { order, destination, aboutManifest, aboutTags, aboutVariables } = await readRequest(ctx, request);
  return {
    complaints: { manifest: messagesOf(aboutManifest), tags: aboutTags, variables: aboutVariables },
    async change() {
      const isRestart = request.destination !== undefined;
      const enter = (waited: boolean) => enterDestination(ctx, userId, destination!, waited || isRestart);
      return toQueuedBuild(await queueInTurn(ctx, { ...order!, actorId: userId }, order!, enter));
    },
  };
}
