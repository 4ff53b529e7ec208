import type Docker from "dockerode";
import { engineError, statusOf } from "./engine.js";

/** Returns the id of an image that the engine has. */
export async function localId(engine: Docker, name: string): Promise<string | undefined> {
  try {
    return (await engine.getImage(name).inspect()).Id;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw engineError(error);
  }
}
