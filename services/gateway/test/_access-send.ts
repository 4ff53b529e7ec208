import type { Api, Got } from "@ci/testkit/api";
import type { Asked } from "./_access-table.js";

/** Sends a request of the table. Reads only the head of an endless response. */
export async function ask(api: Api, method: string, asked: Asked): Promise<Got> {
  if (!asked.endless) return api.send(method, asked.path, asked);
  const response = await api.open(method, asked.path, asked);
  response.on("error", () => undefined).destroy();
  // A failed request has no endless response.
  if (response.statusCode !== 200) return api.send(method, asked.path, asked);
  const headers = response.headers as Got["headers"];
  return { status: 200, headers, bytes: Buffer.alloc(0), text: "", json: undefined };
}
