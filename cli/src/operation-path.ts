import { encodeName } from "@service-ci/client";
import { findBuild, pathOf } from "./build-ref.js";
import { Failure, UsageError } from "./exit.js";
import { findNamespace, namespacePath } from "./namespace-ref.js";
import type { Lookup, Operation } from "./operations/operation.js";
import { recordsAt } from "./pages.js";
import type { Values } from "./request-fields.js";
import type { Session } from "./session.js";

const numbers = new Set(["id", "delivery"]);

/** Returns the id of the record with a name. Throws unless there is exactly one. */
async function idOf(session: Session, lookup: Lookup, name: string, namespace?: string): Promise<number> {
  const { list, within, field, searches } = lookup;
  const inside = namespace === undefined ? undefined : namespacePath(await findNamespace(session, namespace));
  const path = inside === undefined ? list : (within ?? list).replace("{namespace}", inside);
  const ids: number[] = [];
  for await (const record of recordsAt(session, path, searches ? { search: name } : {}))
    if (record[field] === name) ids.push(record.id as number);
  if (ids.length === 0) throw new Failure(`Nothing is called "${name}". The list command shows all names`);
  if (ids.length > 1)
    throw new UsageError(`Several records are called "${name}". Choose one by its id: ${ids.join(", ")}`);
  return ids[0]!;
}

/** Returns the path of an operation's request, and the values that are not in the path. */
export async function requestPath(
  session: Session,
  { path: template, within, lookup, columns, method }: Operation,
  values: Values,
): Promise<{ path: string; rest: Values }> {
  const rest: Record<string, unknown> = { ...values };
  const take = (name: string): string | undefined => {
    const { [name]: value } = rest;
    delete rest[name];
    return value as string | undefined;
  };
  const isScopedList =
    method === "GET" && columns !== undefined && within !== undefined && values.namespace !== undefined;
  let path = isScopedList ? within : template;
  const usesId = path.includes("{id}");
  const namespace =
    path.includes("{namespace}") || usesId ? take("namespace") : (values.namespace as string | undefined);
  if (path.includes("{namespace}"))
    path = path.replace("{namespace}", namespacePath(await findNamespace(session, namespace ?? "")));
  if (path.includes("{build}")) path = path.replace("{build}", pathOf(await findBuild(session, take("build"))));
  for (const [placeholder = "", name = ""] of [...path.matchAll(/\{(\w+)\}/g)]) {
    const word = take(name) ?? "";
    const value = numbers.has(name) ? await numberOf(word, name === "id" ? lookup : undefined) : word;
    path = path.replace(placeholder, () => encodeName(value));
  }
  return { path, rest };

  async function numberOf(word: string, lookup?: Lookup): Promise<string> {
    if (/^\d+$/.test(word)) return word;
    if (!lookup) throw new UsageError(`"${word}" is not an id. Ids are numbers`);
    return String(await idOf(session, lookup, word, namespace));
  }
}
