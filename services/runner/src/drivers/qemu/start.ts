import type { Order } from "../../driver.js";
import { bootGuest, type Guest, type GuestOptions, type Starting } from "./guest.js";
import { type Images, openImage } from "./image.js";
import type { InspectionOptions } from "./inspection.js";
import type { Pool } from "./pool.js";

export interface EnvironmentOptions extends GuestOptions, InspectionOptions {
  readonly images: Images;
  /** Machines that wait for builds. */
  readonly pool: Pool;
}

/**
 * Gets a virtual machine for a build: one that waits with the image that the build means, else a new one. What waits is
 * looked at only after the images service has said that this build may use the image.
 */
export async function start(order: Order, options: EnvironmentOptions, on: Starting): Promise<Guest> {
  const { pool } = options;
  using _preparing = pool.preparing();
  const image = await openImage(order, options.images, on.say, on.signal);
  on.undo.push(() => image[Symbol.asyncDispose]());
  const taken = await pool.take(image, order.mark, on.signal);
  if (taken) {
    on.undo.push(() => taken.end());
    on.say("A virtual machine was waiting");
  }
  const guest = taken?.guest ?? (await bootGuest(image, order.mark, options, on));
  pool.used(image, order.mark);
  return guest;
}
