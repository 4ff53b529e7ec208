import type { Api, Got } from "@ci/testkit/api";
import { eventually } from "@ci/testkit/eventually";

/** Bounds a whole outage: the test restarts what it has killed. */
const patience = { withinMs: 120_000, everyMs: 200 };

/** Repeats a request until its answer is not a temporary failure. */
const asked = (ask: () => Promise<Got>): Promise<Got> =>
  eventually(async () => {
    const got = await ask();
    if (got.status >= 500) throw new Error(`${got.status}: ${got.text}`);
    return got;
  }, patience);

/** Creates a variable. If an answer was lost, the list says whether the variable exists. */
const make = (api: Api, namespace: string, key: string): Promise<{ id: number; url: string }> =>
  eventually(async () => {
    const { status, json } = await asked(() => api.post("/variables", { namespace, key, value: "v" }));
    if (status === 201) return json;
    const found = (await asked(() => api.get(`/variables?search=${key}`))).json;
    const mine = found.find((one: { key: string }) => one.key === key);
    if (!mine) throw new Error(`${key} was neither made nor refused for good: ${JSON.stringify(json)}`);
    return mine;
  }, patience);

/** Creates and deletes a variable: two events, in this order. Returns the variable's id. */
async function makeAndDelete(api: Api, namespace: string, key: string): Promise<number> {
  const { id, url } = await make(api, namespace, key);
  await asked(() => api.delete(url));
  return id;
}

/** Creates and deletes this many variables in each namespace, a few in parallel; returns their ids by namespace. */
export async function emit(api: Api, namespaces: readonly string[], count: number): Promise<Map<string, number[]>> {
  const ids = new Map<string, number[]>(namespaces.map((name) => [name, []]));
  let next = 0;
  const work = async () => {
    for (let nth = next++; nth < count; nth = next++) {
      const namespace = namespaces[nth % namespaces.length]!;
      ids.get(namespace)!.push(await makeAndDelete(api, namespace, `KEY_${nth}_`));
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return ids;
}
