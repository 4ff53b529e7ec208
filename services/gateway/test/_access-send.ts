import type { Api, ApiResponse } from "@ci/testkit/api";
import type { TableRequest } from "./_access-table.js";

/** Sends a request of the table. Of an endless response, it reads only the head. */
export async function sendRequest(api: Api, method: string, request: TableRequest): Promise<ApiResponse> {
  if (!request.endless) return api.send(method, request.path, request);
  const response = await api.open(method, request.path, request);
  response.on("error", () => undefined).destroy();
  // A failed request has no endless response.
  if (response.statusCode !== 200) return api.send(method, request.path, request);
  const headers = response.headers as ApiResponse["headers"];
  return { status: 200, headers, bytes: Buffer.alloc(0), text: "", json: undefined };
}
