import type Docker from "dockerode";
import { engineError, statusOf } from "../engine.js";

export interface LocalImage {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Returns an image that the engine has. */
export async function localImage(engine: Docker, name: string): Promise<LocalImage | undefined> {
  try {
    const { Id: id, Config: config } = await engine.getImage(name).inspect();
    return { id, labels: config?.Labels ?? {} };
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw engineError(error);
  }
}

export const localId = async (engine: Docker, name: string): Promise<string | undefined> =>
  (await localImage(engine, name))?.id;
