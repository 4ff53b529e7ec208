import { asFault, type Fields, invalid } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";

/**
 * Does the work if there are no complaints. Otherwise has the services check the rest of the request, without changing
 * anything, and throws all complaints at once. The services do not see fields of a wrong type, so our complaints win.
 */
export async function complaining<T>(
  ctx: Context,
  complaints: Fields,
  work: (ctx: Context) => Promise<T> | T,
): Promise<T> {
  if (Object.keys(complaints).length === 0) return work(ctx);
  const validate = async () => work({ ...ctx, ...ctx.validating });
  const others = await validate().then(
    () => ({}),
    (thrown) => {
      const { code, fields } = asFault(thrown);
      if (code !== "invalid") throw thrown;
      return fields ?? {};
    },
  );
  throw invalid({ ...others, ...complaints });
}
