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

type Pair = readonly [name: string, value: string];

const isHeader = (name: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(name);

/** Splits what an option was given. The message does not repeat it: a slip may leave a secret on either side. */
function pairsOf(given: readonly string[], form: string, isValue = /^/): Pair[] {
  return given.map((text) => {
    const [name = "", ...rest] = text.split("=");
    const value = rest.join("=");
    if (rest.length === 0 || !isHeader(name) || !isValue.test(value))
      throw new UsageError(`Each ${form}. NAME is the name of a header, without a colon`);
    return [name, value];
  });
}

async function valuesOf(io: Io, set: readonly Pair[], fromEnv: readonly Pair[]): Promise<Map<string, string>> {
  if (set.filter(([, value]) => value === "-").length > 1) throw new UsageError("Only one header can have the value -");
  const values = new Map<string, string>();
  for (const [name, value] of set) values.set(name, await readGiven(io, "set", value));
  for (const [name, variable] of fromEnv) {
    const value = io.env[variable];
    if (!value) throw new UsageError(`The environment lacks the variable for the header "${name}"`);
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
  const { id, namespace, remove = [] } = input;
  const set = pairsOf(input.set ?? [], "--set must have the form NAME=- or NAME=VALUE", /[^=]/);
  const fromEnv = pairsOf(input.from_env ?? [], "--from-env must have the form NAME=VARIABLE", /^[A-Za-z_]\w*$/);
  if (!remove.every(isHeader)) throw new UsageError("Each --remove must be the name of a header");
  const names = [...set, ...fromEnv].map(([name]) => name);
  if (new Set([...names, ...remove].map((name) => name.toLowerCase())).size < names.length + remove.length)
    throw new UsageError("Each header can be given only once");
  const values = await valuesOf(io, set, fromEnv);
  const session = await connect(io);
  const { path: webhook } = await requestPath(session, operations["webhooks show"]!, { id, namespace });
  const path = `${webhook}/headers`;
  const ask = async (init?: RequestInit) => (await (await session.client.request(path, init)).json()) as Shown;
  const stored = await ask();
  if (values.size === 0 && remove.length === 0) return show(io, stored);
  const body = JSON.stringify({ headers: changed(stored.headers, values, remove) });
  return show(io, await ask({ method: "PUT", body, headers: { "Content-Type": "application/json" } }));
};
