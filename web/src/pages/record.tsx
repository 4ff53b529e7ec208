import type { ComponentChildren } from "preact";
import { client, currentPath, pageOf, pagesIn } from "../api.js";
import { useData } from "../data.js";
import { moment, words } from "../format.js";
import { Empty, Failed, Loading, Page, Paging } from "../parts.js";

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text);

async function load(path: string) {
  const response = await client.request(path + location.search);
  return { value: (await response.json()) as unknown, pages: pagesIn(response) };
}

/** Returns the name of a record. */
function nameOf(fields: Fields): string | undefined {
  const found = ["path", "name", "key", "username", "title", "event", "action", "id"].map((field) => fields[field]);
  const named = found.find((value) => (typeof value === "string" && value !== "") || typeof value === "number");
  return named === undefined ? undefined : String(named);
}

/** The title of a page without a name: the end of its address. */
function titleOf(path: string, value: unknown): string {
  const parts = path.split("/").filter((part) => part && part !== "-");
  const last = words(parts.at(-1) ?? "Service CI");
  const kind = /^\d+$/.test(last) ? words((parts.at(-2) ?? "").replace(/s$/, "")) : last;
  const name = isFields(value) ? nameOf(value) : undefined;
  return name && name.toLowerCase() !== kind.toLowerCase() ? `${kind} ${name}` : kind;
}

/** Any record of the API, with its fields and links to related records. */
export function RecordPage() {
  const path = currentPath();
  const { data, error } = useData(`record ${path}${location.search}`, () => load(path));
  if (error && !data) return <Failed error={error} />;
  if (!data)
    return (
      <Page title={titleOf(path, undefined)}>
        <Loading />
      </Page>
    );
  const { value, pages } = data;
  return (
    <Page key={path} title={titleOf(path, value)}>
      {Array.isArray(value) ? <Records records={value} /> : <Value value={value} />}
      <Paging pages={pages} />
    </Page>
  );
}

const Records = ({ records }: { records: readonly unknown[] }) =>
  records.length === 0 ? (
    <Empty>
      <p>Nothing here yet.</p>
    </Empty>
  ) : (
    <ul class="rows">
      {records.map((record, index) => (
        <li class="row" key={isFields(record) ? String(record.id ?? index) : index}>
          {isFields(record) ? <Short fields={record} /> : <Value value={record} />}
        </li>
      ))}
    </ul>
  );

/** A record of a list: its name, and its plain fields. */
function Short({ fields }: { fields: Fields }) {
  const url = typeof fields.url === "string" ? pageOf(fields.url) : undefined;
  const name = nameOf(fields) ?? "record";
  const shown = ["status", "value", "size", "schedule", "driver", "payload_url", "created_at"]
    .map((field) => [field, fields[field]] as const)
    .filter(([, value]) => ["string", "number"].includes(typeof value));
  return (
    <div class="what">
      {url ? <a href={url}>{name}</a> : <span>{name}</span>}
      <div class="quiet">
        {shown.map(([field, value]) => (
          <span
            key={field}
          >{`${words(field)}: ${typeof value === "string" && isTime(value) ? moment(value) : value}`}</span>
        ))}
      </div>
    </div>
  );
}

/** Other records inside a record are links to their own pages. */
function Nested({ fields }: { fields: Fields }) {
  const url = typeof fields.url === "string" ? pageOf(fields.url) : undefined;
  if (url) return <a href={url}>{nameOf(fields) ?? url}</a>;
  return <Value value={fields} />;
}

function textOf(text: string): ComponentChildren {
  const page = pageOf(text);
  if (page) return <a href={page}>{page}</a>;
  if (isTime(text)) return <time dateTime={text}>{moment(text)}</time>;
  return text.includes("\n") ? (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard
    <pre tabIndex={0}>{text}</pre>
  ) : (
    text
  );
}

function Value({ value }: { value: unknown }) {
  if (value === null || value === "") return <span class="quiet">none</span>;
  if (typeof value === "boolean") return <>{value ? "yes" : "no"}</>;
  if (typeof value === "string") return <>{textOf(value)}</>;
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="quiet">none</span>;
    return (
      <ul>
        {value.map((entry, index) => (
          <li key={index}>{isFields(entry) ? <Nested fields={entry} /> : <Value value={entry} />}</li>
        ))}
      </ul>
    );
  }
  if (!isFields(value)) return <>{String(value)}</>;
  return (
    <dl class="facts">
      {Object.entries(value).map(([name, entry]) => (
        <div key={name}>
          <dt>{words(name)}</dt>
          <dd>{isFields(entry) ? <Nested fields={entry} /> : <Value value={entry} />}</dd>
        </div>
      ))}
    </dl>
  );
}
