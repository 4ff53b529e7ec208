import type { components } from "@service-ci/client";
import type { Handler } from "../command.js";
import { UsageError } from "../exit.js";
import { visible } from "../format/visible.js";
import { type Io, note, print, printJson } from "../io.js";
import { requestPath } from "../operation-path.js";
import { operations } from "../operations/index.js";
import { readGiven } from "../request-fields.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

type Shown = components["schemas"]["WebhookHeaders"];
type Headers = Readonly<Record<string, string>>;

async function valuesOf(io: Io, set: Headers, fromEnv: Headers): Promise<Map<string, string>> {
  if (Object.values(set).filter((value) => value === "-").length > 1)
    throw new UsageError("Only one header can have the value -");
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(set)) values.set(name, await readGiven(io, "set", value));
  for (const [name, variable] of Object.entries(fromEnv)) {
    const value = io.env[variable];
    if (!value) throw new UsageError(`The environment has no variable ${variable}`);
    values.set(name, value);
  }
  return values;
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Returns the headers after the change. The masked values of the others keep what is stored. */
function changed(stored: Headers, values: ReadonlyMap<string, string>, remove: readonly string[]): Headers {
  const gone = [...values.keys(), ...remove];
  const unknown = remove.find((name) => !Object.keys(stored).some((one) => isSame(one, name)));
  if (unknown !== undefined) throw new UsageError(`The webhook has no header "${unknown}"`);
  const kept = Object.entries(stored).filter(([name]) => !gone.some((one) => isSame(one, name)));
  return Object.fromEntries([...kept, ...values]);
}

async function show(io: Io, answer: Shown): Promise<undefined> {
  if (io.options.json) return void (await printJson(io, answer));
  const headers = Object.entries(answer.headers);
  if (headers.length === 0) note(io, "The webhook has no headers of its own");
  for (const [name, value] of headers) await print(io, visible(io.options.quiet ? name : `${name}: ${value}`));
}

export const run: Handler<Specs["webhooks headers"]> = async (io, input) => {
  const { id, namespace, set = {}, from_env = {}, remove = [] } = input;
  const values = await valuesOf(io, set, from_env);
  const session = await connect(io);
  const { path: webhook } = await requestPath(session, operations["webhooks show"]!, { id, namespace });
  const path = `${webhook}/headers`;
  const ask = async (init?: RequestInit) => (await (await session.client.request(path, init)).json()) as Shown;
  const stored = await ask();
  if (values.size === 0 && remove.length === 0) return show(io, stored);
  const body = JSON.stringify({ headers: changed(stored.headers, values, remove) });
  return show(io, await ask({ method: "PUT", body, headers: { "Content-Type": "application/json" } }));
};
