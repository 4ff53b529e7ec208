import { invalid } from "@ci/kit/rpc/fault";
import type { Context } from "../../context.js";
import type { CronDoc } from "../../domain/cron.js";

type Kept = Pick<CronDoc, "userId" | "keeperId" | "namespaceId">;

/** Reports whether the member who answers for the manifest may no longer write to the namespace. */
export async function isOrphan(
  { accounts }: Pick<Context, "accounts">,
  { userId, keeperId = userId, namespaceId }: Kept,
): Promise<boolean> {
  if (namespaceId === undefined || keeperId === userId) return false;
  const { namespaceIds } = await accounts.allow({ userId: keeperId, action: "write", namespaceIds: [namespaceId] });
  return !namespaceIds.includes(namespaceId);
}

export async function requireKeeper(ctx: Pick<Context, "accounts">, doc: Kept): Promise<void> {
  if (!(await isOrphan(ctx, doc))) return;
  throw invalid({ manifest: ["Manifest is from a member who has left the namespace; check it and save it again"] });
}
