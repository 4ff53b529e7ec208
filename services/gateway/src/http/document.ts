import { jsonType } from "./answer.js";
import type { Reply } from "./row.js";
import { send } from "./send.js";

/** Returns a reply that sends the same JSON to all, from one copy. */
export function document(value: object): Reply {
  const body = Buffer.from(JSON.stringify(value));
  return ({ response }) => send(response, 200, jsonType, body);
}
