import type { Caller } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { allowed } from "./see.js";

export async function requireMember(ctx: Context, caller: Caller, namespaceId: number): Promise<void> {
  if (!(await allowed(ctx, caller, "write", [namespaceId])).includes(namespaceId)) throw notFound();
}
