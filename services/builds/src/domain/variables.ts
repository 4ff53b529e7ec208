import type { Manifest } from "@ci/manifest/manifest";
import type { GetBuildInputsResponse } from "@ci/proto/namespaces/v1/resources";
import type { Parameter } from "./parameters.js";

/** Where the variables of a build come from. */
interface VariableSources {
  readonly manifest: Pick<Manifest, "env">;
  readonly inputs: Pick<GetBuildInputsResponse, "variables">;
  readonly parameters?: readonly Parameter[];
}

export interface MergedVariable {
  readonly key: string;
  readonly value: string;
  readonly masked: boolean;
  /** The stored variable that it was copied from. */
  readonly variableId?: number;
  readonly isParameter?: boolean;
}

/**
 * Merges the variables of a build: the manifest's env replaces stored variables, and parameters replace both. A parameter
 * is also masked if the stored variable with its key is.
 */
export function mergeVariables({ manifest, inputs, parameters = [] }: VariableSources): MergedVariable[] {
  const byKey = new Map<string, MergedVariable>();
  const maskedKeys = new Set(inputs.variables.filter(({ masked }) => masked).map(({ key }) => key));
  for (const { id, key, value, masked } of inputs.variables) byKey.set(key, { key, value, masked, variableId: id });
  for (const { key, value } of manifest.env) byKey.set(key, { key, value, masked: false });
  for (const { key, value, masked = false } of parameters)
    byKey.set(key, { key, value, masked: masked || maskedKeys.has(key), isParameter: true });
  return [...byKey.values()];
}

const minMaskedLength = 6;

/** Complains about masked parameters that are too short: masking them would hide far too much of the output. */
export const shortComplaints = (variables: readonly MergedVariable[]): string[] =>
  variables
    .filter(({ masked, isParameter, value }) => isParameter && masked && [...value].length < minMaskedLength)
    .map(({ key }) => `Variables value of ${key} cannot be shorter than ${minMaskedLength} characters in length`);
