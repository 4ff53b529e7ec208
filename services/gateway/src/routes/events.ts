import { z } from "zod";
import { eventStream } from "../stream/events.js";
import { action } from "../http/row.js";
import { event } from "../schemas.js";
import { position } from "../stream/sse.js";
import { namespaceOf } from "../auth/targets.js";

export const watchEvents = action({
  summary: "What happens in a namespace, as it comes, as server-sent events",
  media: ["text/event-stream"],
  event: z.object({ event, id: position, data: z.string().regex(/^{.*}$/) }),
  run: async (ctx, ask) => eventStream(ctx, (await namespaceOf(ctx, ask)).id),
});
