import type { Event } from "@ci/proto/events/v1/events";
import type { Context } from "../context.js";

/** Records deleted users and namespaces. A loop removes what belongs to them here, so later events need not wait for it. */
export const recordDeletion =
  ({ deletions }: Pick<Context, "deletions">) =>
  async ({ body }: Event): Promise<void> => {
    if (body?.$case === "namespace" && body.value.action === "deleted" && body.value.namespace)
      await deletions.deleted([{ kind: "namespace", id: body.value.namespace.id }]);
    if (body?.$case === "user" && body.value.action === "deleted" && body.value.user)
      await deletions.deleted([{ kind: "user", id: body.value.user.id }]);
  };
