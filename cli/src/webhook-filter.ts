import { filterOf } from "@service-ci/client";
import { UsageError } from "./exit.js";
import type { Values } from "./request-fields.js";

function read(conditions: readonly string[]) {
  try {
    return filterOf(conditions);
  } catch (error) {
    throw new UsageError(`--filter: ${(error as Error).message}`);
  }
}

/** Returns the fields of a webhook for the API. Its filter is given as conditions. */
export function withFilter({ filter, remove_filter: removes, ...fields }: Values): Values {
  if (filter !== undefined && removes) throw new UsageError("Only one of --filter and --remove-filter can be given");
  if (removes) return { ...fields, filter: {} };
  return filter === undefined ? fields : { ...fields, filter: read(filter as readonly string[]) };
}
