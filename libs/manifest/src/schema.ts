import { manifestKeys } from "./keys.js";
import { mappingSchema } from "./mapping.js";
import type { Json } from "./spec.js";

/** Returns the JSON Schema (2020-12) of a manifest, made from the table that the parser reads by. */
export function manifestSchema(url: string): Json {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: url,
    title: "Manifest of Service CI",
    description: "Says what a build runs: jobs, grouped in stages, in one environment",
    ...mappingSchema(manifestKeys, ["driver"]),
  };
}
