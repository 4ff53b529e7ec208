import type { Context } from "../../context.js";
import { type Destination, placementIn } from "../../domain/cron.js";

export const nameTaken = "Name already exists";

/** Complains if another cron job at the destination has this name; `except` is the id of the cron job itself. */
export async function takenComplaints(
  { crons }: Pick<Context, "crons">,
  destination: Destination | undefined,
  userId: number,
  name: string,
  except?: number,
): Promise<string[]> {
  if (!destination || name === "" || (destination.name && !destination.namespace)) return [];
  const { scope } = placementIn(destination.namespace, userId);
  return (await crons.has(scope, name, except)) ? [nameTaken] : [];
}
