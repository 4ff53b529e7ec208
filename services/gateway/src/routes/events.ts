import { eventStream } from "../event-stream.js";
import { action } from "../row.js";
import { namespaceOf } from "../targets.js";

export const watchEvents = action({
  summary: "What happens in a namespace, as it comes, as server-sent events",
  media: ["text/event-stream"],
  run: async (ctx, ask) => eventStream(ctx, (await namespaceOf(ctx, ask)).id),
});
