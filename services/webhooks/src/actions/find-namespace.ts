import { notFound } from "@ci/kit/rpc/fault";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../context.js";

/** Returns a namespace. Throws `not_found` if it is gone. */
export async function findNamespace({ accounts }: Pick<Context, "accounts">, id: number): Promise<Namespace> {
  const { namespaces } = await accounts.resolve({ userIds: [], namespaceIds: [id] });
  const namespace = namespaces.find((one) => one.id === id);
  if (!namespace) throw notFound();
  return namespace;
}
