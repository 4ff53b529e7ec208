import type Docker from "dockerode";
import { parseImageName } from "./image-name.js";
import { type LoadOptions, load } from "./load.js";
import { localId } from "./local-image.js";
import { pull } from "./pull.js";

export interface FilterImageOptions extends Pick<LoadOptions, "agent"> {
  readonly engine: Docker;
  readonly image: string;
  readonly pullBytes: number;
  readonly runner: string;
}

const pullTimeoutMs = 10 * 60_000;

/** Returns the name of the image in the engine. If the engine cannot pull it, the runner fetches it with its own certificates. */
export async function filterImage({ engine, image, agent, pullBytes, runner }: FilterImageOptions): Promise<string> {
  if (await localId(engine, image)) return image;
  const name = parseImageName(image);
  if (await localId(engine, name.loaded)) return name.loaded;
  const signal = AbortSignal.timeout(pullTimeoutMs);
  try {
    await pull(engine, name.full, signal);
    return name.full;
  } catch (refusal) {
    try {
      await load(engine, name, { agent, maxBytes: pullBytes, isUsable: async () => true, runner }, signal);
    } catch (failure) {
      throw new AggregateError([refusal, failure], `Neither the engine nor the runner could pull ${image}`);
    }
    return name.loaded;
  }
}
