import { currentCaller, runAs } from "@ci/kit/rpc/caller";
import { asFault, type Fields, invalid } from "@ci/kit/rpc/fault";

/**
 * Does the work if there are no complaints. Otherwise has the services check the rest of the request, without changing
 * anything, and throws all complaints at once. The services do not see a field of a wrong type: our complaint wins.
 */
export async function complaining<T>(complaints: Fields, work: () => Promise<T> | T): Promise<T> {
  if (Object.keys(complaints).length === 0) return work();
  const others = await runAs({ ...currentCaller()!, refused: true }, async () => work()).then(
    () => ({}),
    (thrown) => {
      const { code, fields } = asFault(thrown);
      if (code !== "invalid") throw thrown;
      return fields ?? {};
    },
  );
  throw invalid({ ...others, ...complaints });
}
