import type Docker from "dockerode";
import type { Login } from "../../registry/logins.js";
import { engineCall, ignoreNotFound } from "../engine.js";
import { type ImageName, publicName, tagOf } from "./image-name.js";
import { localId } from "./local-image.js";
import { pull } from "./pull.js";
import type { PulledImages } from "./pulled.js";

/**
 * Makes the engine pull an image with a login, which gives it its public name, and takes that name away. Meanwhile, and
 * for good if this process dies, `unproven` has the name: builds may not use such an image without a pull of their own.
 */
export async function pullPrivately(
  engine: Docker,
  name: ImageName,
  { login, unproven, signal }: { login: Login; unproven: PulledImages; signal: AbortSignal },
): Promise<void> {
  const { full, loaded } = name;
  const known = publicName(name);
  const before = await localId(engine, full);
  const wasProven = before !== undefined && !(await unproven.has(known));
  await unproven.add(known);
  await pull(engine, full, signal, login);
  await engineCall(engine.getImage(full).tag(tagOf(loaded)));
  if (!wasProven) await ignoreNotFound(engine.getImage(full).remove({ noprune: true }));
  // A digest belongs to one image only: it still has the name that it had.
  else if (!full.includes("@")) await engineCall(engine.getImage(before).tag(tagOf(full)));
  await unproven.remove(known);
}
