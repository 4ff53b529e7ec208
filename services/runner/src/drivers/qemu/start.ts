import type { Order } from "../../driver.js";
import { bootGuest, type Guest, type GuestOptions, type Starting } from "./guest.js";
import { type Images, openImage } from "./image.js";
import type { InspectionOptions } from "./inspection.js";
import type { Pool } from "./pool.js";

export interface EnvironmentOptions extends GuestOptions, InspectionOptions {
  readonly images: Images;
  readonly pool: Pool;
}

/** Gets a waiting or new machine. The pool is asked only once the images service has allowed the image. */
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
