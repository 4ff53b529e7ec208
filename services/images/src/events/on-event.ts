import type { Event } from "@ci/proto/events/v1/events";
import type { Context } from "../context.js";

/** Handles an event of another service. Safe to repeat. */
export const onEvent =
  ({ deletions }: Pick<Context, "deletions">) =>
  async ({ body }: Event): Promise<void> => {
    if (body?.$case === "namespace" && body.value.action === "deleted" && body.value.namespace)
      await deletions.deleted([{ kind: "namespace", id: body.value.namespace.id }]);
  };
