import type { Context } from "../context.js";

type Parts = Pick<Context, "heartbeat" | "lanes" | "idleLanes">;

/** Without lanes nobody asks whether this process lives. The claim of the next lane makes a heartbeat first. */
export async function keepHeartbeat({ heartbeat, lanes, idleLanes }: Parts): Promise<0 | undefined> {
  if (!lanes.areRunning() && idleLanes.isEmpty()) return 0;
  await heartbeat.beat();
  return undefined;
}
