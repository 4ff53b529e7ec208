import type { Context } from "../context.js";
import { type Destination, placeIn } from "../domain/cron.js";

export const nameTaken = "Name already exists";

/** The complaint that a cron job's name is taken where it goes; `besides` is the id that does not count. */
export async function takenComplaints(
  { crons }: Pick<Context, "crons">,
  destination: Destination | undefined,
  userId: number,
  name: string,
  besides?: number,
): Promise<string[]> {
  // In a namespace that is still to be made every name is free.
  if (!destination || name === "" || (destination.name && !destination.namespace)) return [];
  const { scope } = placeIn(destination.namespace, userId);
  return (await crons.has(scope, name, besides)) ? [nameTaken] : [];
}
