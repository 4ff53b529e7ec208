import type { Order } from "../../driver.js";
import { bootGuest, type Guest, type GuestOptions, type Starting } from "./guest.js";
import { type Images, openImage } from "./image.js";
import type { InspectionOptions } from "./inspection.js";
import type { Pool } from "./pool.js";

export interface EnvironmentOptions extends GuestOptions, InspectionOptions {
  readonly images: Images;
  readonly pool: Pool;
}

/**
 * Gets a virtual machine: a waiting one with the build's image, otherwise a new one. The pool is asked only after the
 * images service has allowed this build the image.
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
