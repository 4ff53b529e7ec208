import type { Caller } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../../context.js";
import { allowed } from "../see.js";

/** Not found unless the caller is a member of the namespace. */
export async function enter(ctx: Context, caller: Caller, namespaceId: number): Promise<void> {
  if (!(await allowed(ctx, caller, "write", [namespaceId])).includes(namespaceId)) throw notFound();
}
