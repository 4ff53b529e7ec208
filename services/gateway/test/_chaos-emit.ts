import type { Api, ApiResponse } from "@ci/testkit/api";
import { eventually } from "@ci/testkit/eventually";

/** Longer than any outage, because the test restarts what it has killed. */
const patience = { withinMs: 120_000, everyMs: 200 };

/** Repeats a request until it does not fail temporarily. */
const retried = (send: () => Promise<ApiResponse>): Promise<ApiResponse> =>
  eventually(async () => {
    const response = await send();
    if (response.status >= 500) throw new Error(`${response.status}: ${response.text}`);
    return response;
  }, patience);

/** Creates a variable. If a response was lost, the list shows whether the variable exists. */
const createVariable = (api: Api, namespace: string, key: string): Promise<{ id: number; url: string }> =>
  eventually(async () => {
    const { status, json } = await retried(() => api.post("/variables", { namespace, key, value: "v" }));
    if (status === 201) return json;
    const found = (await retried(() => api.get(`/variables?search=${key}`))).json;
    const existing = found.find((variable: { key: string }) => variable.key === key);
    if (!existing) throw new Error(`${key} was neither created nor rejected for good: ${JSON.stringify(json)}`);
    return existing;
  }, patience);

/** Creates and deletes a variable, which emits two events, and returns its id. */
async function createAndDelete(api: Api, namespace: string, key: string): Promise<number> {
  const { id, url } = await createVariable(api, namespace, key);
  await retried(() => api.delete(url));
  return id;
}

/** Creates and deletes `count` variables, eight in parallel, and returns their ids by namespace. */
export async function emit(api: Api, namespaces: readonly string[], count: number): Promise<Map<string, number[]>> {
  const ids = new Map<string, number[]>(namespaces.map((name) => [name, []]));
  let next = 0;
  const worker = async () => {
    for (let nth = next++; nth < count; nth = next++) {
      const namespace = namespaces[nth % namespaces.length]!;
      ids.get(namespace)!.push(await createAndDelete(api, namespace, `KEY_${nth}_`));
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return ids;
}
