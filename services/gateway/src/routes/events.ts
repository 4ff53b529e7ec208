import { eventSchema } from "@ci/rest/event-names";
import { z } from "zod";
import { namespaceOf } from "../auth/targets.js";
import { action } from "../http/row.js";
import { eventStream } from "../stream/events.js";
import { position } from "../stream/sse.js";

export const watchEvents = action({
  summary: "The events of a namespace as they happen, as server-sent events",
  media: ["text/event-stream"],
  event: z.object({
    event: eventSchema,
    id: position.describe("Position in the stream, for Last-Event-ID"),
    data: z
      .string()
      .regex(/^{.*}$/)
      .describe("The payload, in JSON, as webhooks get it"),
  }),
  run: async (ctx, input) => eventStream(ctx, (await namespaceOf(ctx, input)).id),
});
