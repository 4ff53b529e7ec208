import { randomBytes } from "node:crypto";
import { ApiError } from "@service-ci/client";
import { exit, Failure, UsageError } from "./exit.js";
import { buildName, type Fields, plain } from "./format/cells.js";
import { printRecord } from "./format/table.js";
import { visible } from "./format/visible.js";
import { type Io, note, print, printJson } from "./io.js";
import { printList } from "./list.js";
import { requestPath } from "./operation-path.js";
import { operations } from "./operations/index.js";
import type { Operation } from "./operations/operation.js";
import { recordsAt } from "./pages.js";
import { confirm } from "./prompt.js";
import { readFields, type Values } from "./request-fields.js";
import { connect, type Session } from "./session.js";
import { settled } from "./settled.js";
import { uploadFrom } from "./upload.js";

/** Lists that grow without bound: only their first page is shown by default. */
const endless = new Set(["audit", "webhooks deliveries", "repos deliveries", "cron builds", "objects builds"]);
const page = 25;

const nameIn =
  ({ names = "id" }: Operation) =>
  (record: Fields): string => {
    if (names === "build") return buildName(record as unknown as Parameters<typeof buildName>[0]);
    return plain(names === "path" ? record : record[names]);
  };

async function printResult(io: Io, operation: Operation, record: Fields): Promise<void> {
  if (io.options.json) await printJson(io, record);
  else if (io.options.quiet) await print(io, visible(nameIn(operation)(record)));
  else if (operation.names === "build") await print(io, `${nameIn(operation)(record)}\t${visible(plain(record.url))}`);
  else await printRecord(io, operation.hides === undefined ? record : { ...record, [operation.hides]: undefined });
}

/** Returns what a person sees besides the record, if the server can tell. */
async function besides({ client }: Session, path: string, { beside }: Operation): Promise<Fields> {
  if (!beside) return {};
  const response = await client.request(`${path}${beside.path}`).catch(refused);
  return response ? (beside.fields((await response.json()) as never) as Fields) : {};
}

function refused(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error;
}

async function* of(records: readonly Fields[]): AsyncGenerator<Fields> {
  yield* records;
}

async function sendDelivery(io: Io, session: Session, operation: Operation, path: string, sent: Fields) {
  const delivery = await settled(io, session, operation.deliveryAt!(path, sent.id), sent);
  await printResult(io, operation, delivery);
  return delivery.status === "delivered" ? exit.done : exit.failed;
}

function madeSecret({ json, quiet }: Io["options"], { fresh }: Operation, fields: Values): Fields {
  if (fresh === undefined || fields[fresh] !== undefined) return {};
  if (quiet && !json) throw new UsageError(`--quiet would not show the new secret: give --${fresh}, or use --json`);
  return { [fresh]: randomBytes(32).toString("base64url") };
}

async function send(io: Io, session: Session, operation: Operation, path: string, fields: Values) {
  const { client } = session;
  const { method, columns, bodyOf, about, emptyNote } = operation;
  const made = madeSecret(io.options, operation, fields);
  const given = { ...fields, ...made };
  const body = bodyOf ? await bodyOf(given) : given;
  const hasBody = method !== "DELETE" && Object.keys(given).length > 0;
  const response = await client.request(path, {
    method,
    ...(hasBody ? { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } } : {}),
  });
  if (response.status === 204) return void note(io, `Done: ${about.toLowerCase()}`);
  const answer: unknown = await response.json();
  if (operation.deliveryAt) return sendDelivery(io, session, operation, path, answer as Fields);
  const isEmpty = Array.isArray(answer) && answer.length === 0;
  if (emptyNote && isEmpty && !io.options.json) note(io, emptyNote);
  else if (columns) await printList(io, of(answer as Fields[]), { columns, nameOf: nameIn(operation) });
  else if (io.options.json || io.options.quiet) await printResult(io, operation, { ...(answer as Fields), ...made });
  else
    await printResult(io, operation, { ...(answer as Fields), ...made, ...(await besides(session, path, operation)) });
  const next = operation.nextStep?.(answer as Fields);
  if (next !== undefined) note(io, next);
  return operation.failsIf?.(answer as Fields) ? exit.failed : undefined;
}

/** Throws if there is no record at a path. Some records can be deleted but not read. */
async function requireRecord({ client }: Session, path: string): Promise<void> {
  try {
    await client.request(path);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) throw error;
  }
}

async function askFirst(io: Io, { about }: Operation, values: Values): Promise<void> {
  const asked = Object.values(values)
    .filter((value) => typeof value === "string")
    .join(" ");
  if (!io.stdin.isTTY || !io.stderr.isTTY) throw new UsageError(`Add --yes to ${about.toLowerCase()}: ${asked}`);
  if (!(await confirm(io, `${about}: ${visible(asked)}?`))) throw new Failure("Nothing was deleted");
}

/** Returns the handler for a command that sends one request. */
export const operate =
  (name: string) =>
  async (io: Io, input: Values): Promise<number | undefined> => {
    const operation = operations[name]!;
    const { columns, method, upload, asks } = operation;
    const { limit, yes, all, ...values } = input;
    const session = await connect(io);
    const { path, rest } = await requestPath(session, operation, values);
    if (asks && !yes) {
      await requireRecord(session, path);
      await askFirst(io, operation, values);
    }
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    if (method === "GET" && columns) {
      const brief = operation.hasOutput && !io.options.json ? { brief: "true" } : {};
      const query = { ...brief, ...(given as Record<string, string>) };
      const options = {
        columns,
        nameOf: nameIn(operation),
        only: all || io.options.json ? undefined : operation.only,
        limit: (limit as number | undefined) ?? (endless.has(name) ? page : undefined),
      };
      await printList(io, recordsAt(session, path, query), options);
    } else if (upload !== undefined && typeof given[upload] === "string") {
      const { [upload]: file, ...query } = given as Record<string, string>;
      await printResult(io, operation, await uploadFrom(io, session, path, query, file!));
    } else return send(io, session, operation, path, await readFields(io, operation, given));
    return undefined;
  };
