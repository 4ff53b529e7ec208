import type { Handler } from "../command.js";
import { lostNote } from "../explain.js";
import { type Fields, plain } from "../format/cells.js";
import { visible } from "../format/visible.js";
import { note, print, printJsonLine } from "../io.js";
import { findNamespace, namespacePath } from "../namespace-ref.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** Returns what happened to which record, for example `created DB_PASSWORD`. */
function summaryOf(data: unknown): string {
  if (!isFields(data)) return "";
  if (isFields(data.user) && typeof data.number === "number") return `${plain(data)} ${plain(data.status)}`.trim();
  const record = Object.entries(data).find(
    ([name, value]) => isFields(value) && !["user", "author"].includes(name),
  )?.[1];
  if (!isFields(record)) return plain(data.action);
  const name =
    record.path || typeof record.number === "number" || record.username ? record : (record.name ?? record.key);
  return [plain(data.action), plain(name)].filter(Boolean).join(" ");
}

export const run: Handler<Specs["events"]> = async (io, { namespace, follow, kind, after }) => {
  const session = await connect(io);
  const path = namespace === undefined ? "" : `${namespacePath(await findNamespace(session, namespace))}/-`;
  const onConnection = (connected: boolean, error?: unknown) => {
    if (!connected) note(io, lostNote(error));
  };
  for await (const event of session.client.follow(`${path}/events`, { after, signal: io.signal, onConnection })) {
    if (kind && !kind.includes(event.event)) continue;
    if (io.options.json) await printJsonLine(io, event);
    else if (io.options.quiet) await print(io, visible(event.event));
    else await print(io, [event.id ?? "", event.event, summaryOf(event.data)].map(visible).join("\t"));
    if (!follow) break;
  }
};
