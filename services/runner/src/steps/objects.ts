import { Fault } from "@ci/kit/rpc/fault";
import type { AssignedObject } from "@ci/proto/builds/v1/queue";
import type { ObjectServiceClient } from "@ci/proto/namespaces/v1/resources";
import type { Environment } from "../driver.js";
import { isHostTrouble, reasonOf } from "../work/errors.js";
import { retry } from "../work/retry.js";

export interface Placing {
  readonly environment: Pick<Environment, "put" | "sshFolder">;
  readonly objects: Pick<ObjectServiceClient, "readObject">;
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

async function place({ objectId: id, name: path }: AssignedObject, { environment, objects, signal }: Placing) {
  if (id === undefined) throw new Fault("not_found", "not found");
  if (path === "" || path.endsWith("/")) throw new Fault("invalid", "the destination is not a file name");
  await retry(signal, () => environment.put({ path, mode: 0o700, content: contentOf(objects, id, signal) }, signal));
}

async function* contentOf(
  objects: Pick<ObjectServiceClient, "readObject">,
  id: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const { chunk } of objects.readObject({ id }, { signal })) yield chunk;
}
