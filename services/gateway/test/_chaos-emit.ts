import type { Api, Got } from "@ci/testkit/api";
import { eventually } from "@ci/testkit/eventually";

/** However long the services are away, somebody brings them back. */
const patience = { withinMs: 120_000, everyMs: 200 };

/** Asks until the answer is no passing failure. */
const asked = (ask: () => Promise<Got>): Promise<Got> =>
  eventually(async () => {
    const got = await ask();
    if (got.status >= 500) throw new Error(`${got.status}: ${got.text}`);
    return got;
  }, patience);

/** Makes a variable. Whether an earlier try came through, whose answer was lost, the list of variables tells. */
const make = (api: Api, namespace: string, key: string): Promise<{ id: number; url: string }> =>
  eventually(async () => {
    const { status, json } = await asked(() => api.post("/variables", { namespace, key, value: "v" }));
    if (status === 201) return json;
    const found = (await asked(() => api.get(`/variables?search=${key}`))).json;
    const mine = found.find((one: { key: string }) => one.key === key);
    if (!mine) throw new Error(`${key} was neither made nor refused for good: ${JSON.stringify(json)}`);
    return mine;
  }, patience);

/** A variable is made and deleted: two events, in this order. Answers the variable's id. */
async function makeAndDelete(api: Api, namespace: string, key: string): Promise<number> {
  const { id, url } = await make(api, namespace, key);
  await asked(() => api.delete(url));
  return id;
}

/** Makes and deletes so many variables in turn in each namespace, some at a time; their ids by namespace. */
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
