import { sharedReads } from "@ci/kit/process/shared";
import type { BuildInputServiceClient, GetBuildInputsResponse } from "@ci/proto/namespaces/v1/resources";
import type { Context } from "../context.js";
import type { Destination } from "../domain/cron.js";
import { axisComplaints, sizeComplaints } from "../domain/group.js";
import { maskComplaints } from "../domain/masked.js";
import type { Submission } from "../domain/new-build.js";
import { mergeVariables, shortComplaints } from "../domain/variables.js";

interface BuildInputs {
  readonly inputs: GetBuildInputsResponse;
  readonly complaints: { readonly manifest: readonly string[]; readonly variables: readonly string[] };
}

/** Builds that are submitted at the same moment share one call, which begins after all of them. */
export function sharingInputs(inputs: Pick<BuildInputServiceClient, "getBuildInputs">): Context["inputs"] {
  const shared = sharedReads<GetBuildInputsResponse>();
  return { getBuildInputs: (request) => shared(JSON.stringify(request), () => inputs.getBuildInputs(request)) };
}

const none: GetBuildInputsResponse = { variables: [], keys: [], objects: [] };

/**
 * Reads the variables, keys and objects of a build, and complains if runners would have too much to mask. Every member
 * may edit a cron job, so in a namespace its builds get only the namespace's records. Builds of forks get none.
 */
export async function readInputs(
  { inputs, config }: Pick<Context, "inputs" | "config">,
  {
    userId,
    namespace,
    manifest,
    run,
    origin,
    parameters,
    ancestorIds = namespace?.ancestorIds ?? [],
  }: Pick<Submission, "userId" | "namespace" | "manifest" | "run" | "origin" | "parameters"> &
    Pick<Destination, "ancestorIds">,
): Promise<BuildInputs> {
  if (origin?.bare) {
    const variables = parameters?.length ? ["Variables cannot be given to a build of a fork; leave them out"] : [];
    return { inputs: none, complaints: { manifest: sizeComplaints(manifest, none), variables } };
  }
  const found = await inputs.getBuildInputs({
    userId: run && namespace ? undefined : userId,
    namespaceId: namespace?.id,
    ancestorIds: [...ancestorIds],
    objectNames: manifest.objects.map((object) => object.source),
  });
  const variables = mergeVariables({ manifest, inputs: found, parameters });
  const aboutMasks = maskComplaints(variables, found.keys, config.maskedBytes);
  const aboutManifest = [...aboutMasks, ...sizeComplaints(manifest, found)];
  const aboutVariables = [...shortComplaints(variables), ...axisComplaints({ manifest, parameters })];
  return { inputs: found, complaints: { manifest: aboutManifest, variables: aboutVariables } };
}
