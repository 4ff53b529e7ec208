import { pacer } from "@ci/kit/turns/pacer";

/** Characters parsed before other work of the process runs. */
const pieceLength = 256 * 1024;

/** Returns a function that parses payloads one after another, so that filters can look at them. */
export function payloadReader(): (payload: string) => Promise<unknown> {
  const pace = pacer(pieceLength);
  return async (payload) => {
    await pace(payload.length);
    return JSON.parse(payload);
  };
}
