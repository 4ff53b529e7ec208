import { currentCaller, runAs } from "@ci/kit/rpc/caller";
import { asFault, type Fields, invalid } from "@ci/kit/rpc/fault";

/**
 * Does the work, unless the request is known to be wrong: then the services are asked what else is, and all of it is
 * thrown at once. A field whose type is wrong is not in the request they see, so what they say about it does not count.
 */
export async function complaining<T>(known: Fields, work: () => Promise<T> | T): Promise<T> {
  if (Object.keys(known).length === 0) return work();
  const others = await runAs({ ...currentCaller()!, refused: true }, async () => work()).then(
    () => ({}),
    (thrown) => {
      const { code, fields } = asFault(thrown);
      if (code !== "invalid") throw thrown;
      return fields ?? {};
    },
  );
  throw invalid({ ...others, ...known });
}
