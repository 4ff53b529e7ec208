import { type AuditEntry, base, client, pageOf, pagesIn } from "../../api.js";
import { useData } from "../../data.js";
import { FilterChoice, FilterField, FilterForm } from "../../filter-form.js";
import { moment } from "../../format.js";
import { Empty, Failed, Loading, Paging } from "../../parts.js";
import { OperateFrame } from "./frame.js";

const outcomes = ["unfinished", "done", "refused", "failed"] as const;
const texts = [
  ["user", "User"],
  ["action", "Operation"],
  ["kind", "Kind of record"],
  ["namespace", "Namespace"],
  ["token", "Token id"],
] as const;
const times = [
  ["from", "From"],
  ["to", "Before"],
] as const;

/** Returns the API query. It converts times from the reader's zone to UTC. */
function apiQuery(query: URLSearchParams): URLSearchParams {
  const asked = new URLSearchParams(query);
  for (const [name] of times) {
    const time = new Date(asked.get(name) ?? "");
    if (!Number.isNaN(time.getTime())) asked.set(name, time.toISOString());
  }
  return asked;
}

async function load(query: URLSearchParams) {
  const response = await client.request(`/audit?${apiQuery(query)}`);
  return { entries: (await response.json()) as AuditEntry[], pages: pagesIn(response) };
}

/** The audit log: who tried to change what. */
export function AuditPage() {
  const query = new URLSearchParams(location.search);
  const { data, error } = useData(`audit?${query}`, () => load(query));
  if (error && !data) return <Failed error={error} />;
  return (
    <OperateFrame title="Audit log">
      <FilterForm>
        {texts.map(([name, label]) => (
          <FilterField key={name} name={name} label={label} />
        ))}
        <FilterChoice name="outcome" label="Outcome" options={outcomes.map((outcome) => [outcome, outcome])} />
        {times.map(([name, label]) => (
          <FilterField key={name} name={name} label={label} type="datetime-local" />
        ))}
      </FilterForm>
      {!data && <Loading />}
      {data && data.entries.length > 0 && (
        <ul class="rows audit">
          {data.entries.map((entry) => (
            <Row key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
      {data?.entries.length === 0 && (
        <Empty>
          <p>No entry matches.</p>
          <p>
            <a href={`${base}/audit`}>Show all entries</a>
          </p>
        </Empty>
      )}
      {data && <Paging pages={data.pages} />}
    </OperateFrame>
  );
}

const marks = { unfinished: "running", done: "passed", refused: "timed_out", failed: "failed" } as const;

function Row({ entry }: { entry: AuditEntry }) {
  const { outcome, status, created_at, username, actor, action, record_url, path, namespace } = entry;
  const record = record_url === null ? undefined : pageOf(record_url);
  return (
    <li class="row">
      <span class={`status status-${marks[outcome]}`}>{status === null ? outcome : `${outcome} (${status})`}</span>
      <div class="what">
        <span>{`${username ?? (actor === "user" ? "unknown user" : actor)}: ${action}`}</span>
        <div class="quiet">
          {record ? <a href={record}>{path ?? record}</a> : path && <span>{path}</span>}
          {namespace && <span>{namespace}</span>}
        </div>
        <Details entry={entry} />
      </div>
      <time class="when quiet" dateTime={created_at}>
        {moment(created_at)}
      </time>
    </li>
  );
}

function Details({ entry }: { entry: AuditEntry }) {
  const origin = entry.origin_url === null ? undefined : pageOf(entry.origin_url);
  const facts = [
    ["Kind", entry.kind],
    ["Method", entry.method],
    ["Token", entry.token_id === null ? null : `${entry.token_name ?? ""} (${entry.token_id})`],
    ["Address", entry.address],
    ["Client", entry.user_agent],
    ["Request", entry.request_id],
  ].filter(([, value]) => value);
  return (
    <details>
      <summary aria-label={`More about ${entry.action} at ${moment(entry.created_at)}`}>More</summary>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {origin && (
          <div>
            <dt>Origin</dt>
            <dd>
              <a href={origin}>{origin}</a>
            </dd>
          </div>
        )}
      </dl>
    </details>
  );
}
