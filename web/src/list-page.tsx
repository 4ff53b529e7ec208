import type { StreamEvent } from "@service-ci/client";
import type { ComponentChildren, ComponentType } from "preact";
import { useRef } from "preact/hooks";
import { client, type Pages, pagesIn } from "./api.js";
import { useData, useNow } from "./data.js";
import { go } from "./location.js";
import { NamespaceFrame, namespacePath, type Section } from "./pages/namespace/frame.js";
import { Complaint, Empty, Failed, Live, Loading, Page, Paging } from "./parts.js";
import type { Params } from "./routes.js";
import { Said, useSaid } from "./said.js";

/** Tells the reader what happened, and loads the list again. */
type Done = (text: string) => void;

export interface RowProps<T> {
  readonly record: T;
  readonly now: number;
  /** Whether the list is the user's own, with records of several namespaces. */
  readonly mixed: boolean;
  readonly params: Params;
  readonly done: Done;
}

export interface AddProps {
  /** Parameters in the address of the list. */
  readonly params: Params;
  /** The namespace of the list in the form `path@owner`; undefined for the user's own list. */
  readonly namespace?: string | undefined;
  readonly done: Done;
}

/** Describes the lists of one kind of record: the user's own, and those of namespaces. */
export interface Kind<T> {
  /** Last segment of both lists' addresses. */
  readonly section: Exclude<Section, ""> | "cron" | "tokens";
  readonly title: string;
  readonly about: ComponentChildren;
  /** Shown in an empty list: what to do. */
  readonly empty: ComponentChildren;
  /** The same for the list of a namespace, if it differs. */
  readonly emptyBelow?: ComponentChildren;
  readonly Row: ComponentType<RowProps<T>>;
  /** Label of the button that opens the form, and the form. */
  readonly add?: { readonly title: string; readonly Form: ComponentType<AddProps> };
  /** Whether the API can search for a part of the name. */
  readonly searchable?: boolean;
  readonly everyMs?: (records: readonly T[]) => number | undefined;
  /** Reports whether an event can change the list. Without it the list does not follow events. */
  readonly concerns?: (event: StreamEvent) => boolean;
}

interface Listed<T> {
  readonly records: readonly T[];
  readonly pages: Pages;
}

async function load<T>(address: string): Promise<Listed<T>> {
  const response = await client.request(address);
  return { records: await response.json(), pages: pagesIn(response) };
}

/** Returns the page for a kind's lists. The address says which list to show. */
export const listPage =
  <T extends { readonly id: number }>(kind: Kind<T>) =>
  ({ params }: { params: Params }) => <List kind={kind} params={params} />;

function List<T extends { readonly id: number }>({ kind, params }: { kind: Kind<T>; params: Params }) {
  const { section, title, about, add, searchable = true, everyMs, concerns } = kind;
  const mixed = params.path === undefined;
  const address = `${mixed ? "" : `${namespacePath(params)}/-`}/${section}${location.search}`;
  const { data, error, liveness, reload } = useData<Listed<T>>(address, () => load(address), {
    everyMs: everyMs && (({ records }) => everyMs(records)),
    events: concerns && "/events",
    concerns,
  });
  const [said, say] = useSaid();
  const startedEmpty = useRef<boolean>(undefined);
  if (error && !data) return <Failed error={error} />;
  if (data) startedEmpty.current ??= data.records.length === 0 && location.search === "";
  const done: Done = (text) => {
    say(text);
    reload();
  };
  const content = (
    <>
      <p class="quiet">{about}</p>
      <Said said={said} />
      {error !== undefined && <Complaint error={error} />}
      {concerns && error === undefined && <Live liveness={liveness} />}
      {!data && <Loading />}
      {data && add && (
        <details class="add" open={startedEmpty.current ?? false}>
          <summary>{add.title}</summary>
          <add.Form params={params} namespace={mixed ? undefined : `${params.path}@${params.user}`} done={done} />
        </details>
      )}
      {data && searchable && <Find key={location.search} isEmpty={data.records.length === 0} />}
      {data && <Records kind={kind} params={params} data={data} done={done} />}
    </>
  );
  return mixed ? (
    <Page title={title}>{content}</Page>
  ) : (
    <NamespaceFrame params={params} section={section as Section}>
      {content}
    </NamespaceFrame>
  );
}

const isSearch = (): boolean => Boolean(new URLSearchParams(location.search).get("search"));

interface RecordsProps<T> {
  readonly kind: Kind<T>;
  readonly params: Params;
  readonly data: Listed<T>;
  readonly done: Done;
}

function Records<T extends { readonly id: number }>({
  kind: { Row, empty, emptyBelow },
  params,
  data,
  done,
}: RecordsProps<T>) {
  const now = useNow(false);
  const { records, pages } = data;
  const mixed = params.path === undefined;
  const whenEmpty = mixed ? empty : (emptyBelow ?? empty);
  return (
    <>
      {records.length === 0 && <Empty>{isSearch() ? <p>Nothing found.</p> : whenEmpty}</Empty>}
      {records.length > 0 && (
        <ul class="rows">
          {records.map((record) => (
            <li class="row" key={record.id}>
              <Row record={record} now={now} mixed={mixed} params={params} done={done} />
            </li>
          ))}
        </ul>
      )}
      <Paging pages={pages} />
    </>
  );
}

/** Searches the list by name. The address holds the search. */
function Find({ isEmpty }: { isEmpty: boolean }) {
  const search = new URLSearchParams(location.search).get("search") ?? "";
  const field = useRef<HTMLInputElement>(null);
  if (isEmpty && search === "") return null;
  return (
    <search>
      <form
        class="find"
        onSubmit={(event) => {
          event.preventDefault();
          const text = field.current?.value ?? "";
          go(`${location.pathname}${text ? `?${new URLSearchParams({ search: text })}` : ""}`);
        }}
      >
        <input
          type="search"
          ref={field}
          aria-label="Part of the name"
          placeholder="Part of the name"
          defaultValue={search}
        />
        <button type="submit">Find</button>
      </form>
    </search>
  );
}
