import type { Context } from "../context.js";

/** Without lanes nobody asks whether this process lives. The claim of the next lane makes a heartbeat first. */
export async function keepHeartbeat({
  heartbeat,
  lanes,
  idleLanes,
}: Pick<Context, "heartbeat" | "lanes" | "idleLanes">) {
  if (lanes.areRunning() || !idleLanes.isEmpty()) await heartbeat.beat();
}
