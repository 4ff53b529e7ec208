import { Fault } from "@ci/kit/rpc/fault";
import type { AssignedObject, QueueServiceClient } from "@ci/proto/builds/v1/queue";
import { type Environment, type Mark, maxPathLength } from "../driver.js";
import { isHostTrouble, reasonOf } from "../endings/errors.js";
import { retry } from "../endings/retry.js";
import { tooLongText } from "./too-long-text.js";

export interface Placing {
  readonly environment: Pick<Environment, "put" | "sshFolder">;
  readonly queue: Pick<QueueServiceClient, "readAssignedObject">;
  readonly mark: Mark;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Places objects and returns the ids of those placed. Failures are printed and fail nothing. */
export async function placeObjects(objects: readonly AssignedObject[], on: Placing): Promise<number[]> {
  const placed: number[] = [];
  for (const object of objects) {
    on.say(`Placing object ${object.source} => ${object.name}`);
    try {
      await place(object, on);
      placed.push(object.id);
    } catch (error) {
      on.signal.throwIfAborted();
      if (isHostTrouble(error)) throw error;
      on.say(`object error: ${object.source}: ${reasonOf(error)}`);
    }
  }
  return placed;
}

async function place({ id, objectId, name: path }: AssignedObject, on: Placing) {
  if (objectId === undefined) throw new Fault("not_found", "not found");
  if (path === "" || path.endsWith("/")) throw new Fault("invalid", "the destination is not a file name");
  if (path.length > maxPathLength) throw new Fault("invalid", tooLongText("destination"));
  const { environment, signal } = on;
  await retry(signal, () => environment.put({ path, mode: 0o700, content: contentOf(id, on) }, signal));
}

async function* contentOf(id: number, { queue, mark, signal }: Placing): AsyncGenerator<Uint8Array> {
  const { buildId, epoch } = mark;
  for await (const { chunk } of queue.readAssignedObject({ buildId, epoch, id }, { signal })) yield chunk;
}
