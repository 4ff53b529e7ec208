import { inputsTrustMs } from "@ci/access/build-inputs";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { sharedReads } from "@ci/kit/turns/shared-reads";
import type { GetBuildInputsRequest, GetBuildInputsResponse } from "@ci/proto/namespaces/v1/resources";
import { LRUCache } from "lru-cache";
import type { Context } from "../../context.js";
import { axisComplaints, sizeComplaints } from "../../domain/group.js";
import { maskComplaints } from "../../domain/masked.js";
import { mergeVariables, shortComplaints } from "../../domain/variables.js";
import { bytesOfAll, recordComplaints } from "../../store/new-builds.js";
import { waitsForTurn } from "./building-turns.js";
import { type Draft, estimateSizes, isClearlySmall, spareBytes } from "./estimate-sizes.js";

export interface BuildInputs {
  /** Absent if the builds have to wait for their turn: their inputs are large, and read again then. */
  readonly inputs?: GetBuildInputsResponse | undefined;
  /** What the records of the builds take together, without the spare for each. */
  readonly bytes: number;
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

const refreshMs = inputsTrustMs / 4;

/**
 * Builds that are submitted at the same moment share one call, which begins after all of them. Later builds use its response
 * for 50 ms. A build in the last quarter of that time makes the next call, but does not wait for it. A service that changes a
 * variable, key or object awaits `expireInputs` before it confirms the change.
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

  const refreshing = new Map<string, Promise<unknown>>();

  function refresh(key: string, request: GetBuildInputsRequest): void {
    const done = shared(key, () => read(key, request))
      .catch(() => undefined)
      .finally(() => refreshing.delete(key));
    refreshing.set(key, done);
  }

  return {
    async getBuildInputs(request) {
      const key = JSON.stringify(request);
      const known = cached.get(key);
      if (known && !refreshing.has(key) && cached.getRemainingTTL(key) < refreshMs) refresh(key, request);
      if (known) return known;
      await refreshing.get(key);
      return cached.get(key) ?? shared(key, () => read(key, request));
    },
  };
}

const none: GetBuildInputsResponse = { variables: [], keys: [], objects: [] };

type Reading = Pick<Context, "inputs" | "config" | "now">;

/** Estimates the size of a draft's builds if it may matter. A size of 0 means a small one. */
async function measured(ctx: Reading, draft: Draft, inputs: GetBuildInputsResponse) {
  if (isClearlySmall(draft, inputs)) return { bytes: 0, complaints: [] };
  const aboutGroup = sizeComplaints(draft.manifest, inputs);
  if (aboutGroup.length > 0) return { bytes: 0, complaints: aboutGroup };
  const sizes = await estimateSizes(ctx, draft, inputs);
  return { bytes: bytesOfAll(sizes) - sizes.length * spareBytes, complaints: recordComplaints(sizes) };
}

/**
 * Reads the variables, keys and objects of a build, and complains if these or its record are too large. Every member may edit
 * a cron job, so in a namespace its builds get only the namespace's records. Builds of forks get none.
 */
export async function readInputs(ctx: Reading, draft: Draft): Promise<BuildInputs> {
  const { inputs, ...read } = await readAllInputs(ctx, draft);
  return { ...read, inputs: waitsForTurn(read.bytes) ? undefined : inputs };
}

export async function readAllInputs(ctx: Reading, draft: Draft): Promise<Required<BuildInputs>> {
  const { userId, namespace, manifest, run, origin, parameters } = draft;
  if (origin?.bare) {
    const variables = parameters?.length ? ["Variables cannot be given to a build of a fork; leave them out"] : [];
    const { bytes, complaints } = await measured(ctx, draft, none);
    return { inputs: none, bytes, complaints: { manifest: complaints, variables } };
  }
  const found = await ctx.inputs.getBuildInputs({
    userId: run && namespace ? undefined : userId,
    namespaceId: namespace?.id,
    ancestorIds: [...(draft.ancestorIds ?? namespace?.ancestorIds ?? [])],
    objectNames: manifest.objects.map((object) => object.source),
  });
  const variables = mergeVariables({ manifest, inputs: found, parameters });
  const aboutMasks = maskComplaints(variables, found.keys, ctx.config.maskedBytes);
  const { bytes, complaints } = await measured(ctx, draft, found);
  const aboutVariables = [...shortComplaints(variables), ...axisComplaints({ manifest, parameters })];
  return { inputs: found, bytes, complaints: { manifest: [...aboutMasks, ...complaints], variables: aboutVariables } };
}
