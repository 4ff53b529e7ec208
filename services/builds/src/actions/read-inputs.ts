import { inputsTrustMs } from "@ci/access/build-inputs";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { sharedReads } from "@ci/kit/process/shared";
import type { GetBuildInputsRequest, GetBuildInputsResponse } from "@ci/proto/namespaces/v1/resources";
import { LRUCache } from "lru-cache";
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

const maxCached = fixedLimit({
  max: 4 * 1024 ** 2,
  about: "inputs of builds that a process caches, in characters",
  effect: "the least recently used ones are read again",
});

const lengthOf = ({ variables, keys, objects }: GetBuildInputsResponse): number => {
  const texts = [...variables.map(({ value }) => value), ...keys.flatMap((key) => [key.privateKey, key.config])];
  return texts.reduce((sum, text) => sum + text.length, 1_000 * (1 + objects.length + variables.length + keys.length));
};

/**
 * Builds that are submitted at the same moment share one call, which begins after all of them. Later builds use its response
 * for 50 ms. A service that changes a variable, key or object awaits `expireInputs` before it confirms the change.
 */
export function cachingInputs(client: Context["inputs"]): Context["inputs"] {
  const shared = sharedReads<GetBuildInputsResponse>();
  const cached = new LRUCache<string, GetBuildInputsResponse>({
    maxSize: maxCached,
    sizeCalculation: lengthOf,
    ttl: inputsTrustMs,
    ttlResolution: 0,
    ttlAutopurge: true,
  });

  async function read(key: string, request: GetBuildInputsRequest): Promise<GetBuildInputsResponse> {
    const start = performance.now();
    const inputs = await client.getBuildInputs(request);
    cached.set(key, inputs, { start });
    return inputs;
  }

  return {
    async getBuildInputs(request) {
      const key = JSON.stringify(request);
      return cached.get(key) ?? shared(key, () => read(key, request));
    },
  };
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
