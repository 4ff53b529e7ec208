import { eventSchema } from "@ci/rest/event-names";
import { z } from "zod";
import { namespaceOf } from "../auth/targets.js";
import { action } from "../http/row.js";
import { eventStream } from "../stream/events.js";
import { position } from "../stream/sse.js";

const stream = {
  media: ["text/event-stream"],
  event: z.object({
    event: eventSchema,
    id: position.describe("Position in the stream, for Last-Event-ID"),
    data: z
      .string()
      .regex(/^{.*}$/)
      .describe("The payload, in JSON, as webhooks get it"),
  }),
} as const;

export const watchEvents = action({
  summary: "The events of a namespace as they happen, as server-sent events",
  ...stream,
  run: async (ctx, input) => {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const wanted = { namespaceId, acceptsPieces: true };
    return eventStream(ctx, (after, options) => ctx.webhooks.watchEvents({ ...wanted, after }, options));
  },
});

export const watchOwnEvents = action({
  summary:
    "The events of the caller's builds outside of namespaces, and of every namespace that the caller is a member of, as " +
    "server-sent events",
  ...stream,
  run: (ctx) =>
    eventStream(ctx, (after, options) => ctx.webhooks.watchOwnEvents({ after, acceptsPieces: true }, options)),
});
