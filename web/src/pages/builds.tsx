import { encodeName } from "@service-ci/client";
import { type Build, base, client, pagesIn } from "../api.js";
import { useData, useNow } from "../data.js";
import { FilterChoice, FilterField, FilterForm } from "../filter-form.js";
import { statusText } from "../format.js";
import { changesBuilds, placesEveryMs, pollEveryMs } from "../live-builds.js";
import { BuildRow, Empty, Failed, Live, Loading, Page, Paging } from "../parts.js";

const statuses = ["queued", "running", "passed", "passed_with_failures", "failed", "killed", "timed_out"] as const;

/** What the address says about which builds to show. */
function filtersIn(query: URLSearchParams) {
  const text = (name: string) => query.get(name) ?? "";
  return { status: text("status"), tag: text("tag"), search: text("search"), namespace: text("namespace") };
}
type Filters = ReturnType<typeof filtersIn>;

/** Splits `user/path/of/it` or `path/of/it@user`. */
function namespaceIn(text: string): { username: string; path: string } | undefined {
  const [names = "", owner] = text.trim().split("@");
  const [username = "", ...path] = [owner ?? [], names.split("/")].flat().filter(Boolean);
  return username && path.length > 0 ? { username, path: path.join("/") } : undefined;
}

const pathOf = ({ username, path }: { username: string; path: string }) =>
  `/n/${encodeURIComponent(username)}/${encodeName(path)}`;

async function load({ namespace, ...filters }: Filters, page: number) {
  const given = Object.entries(filters).filter(([, value]) => value !== "");
  const query = new URLSearchParams([...given, ["page", String(page)], ["brief", "true"]]);
  const place = namespaceIn(namespace);
  if (namespace && !place) return { builds: [], pages: {} };
  const response = await client.request(`${place ? `${pathOf(place)}/-` : ""}/builds?${query}`);
  return { builds: (await response.json()) as Build[], pages: pagesIn(response) };
}

/** Builds, newest first. They change on the page as they change on the server. */
export function BuildsPage() {
  const query = new URLSearchParams(location.search);
  const filters = filtersIn(query);
  const page = Number(query.get("page") ?? 1) || 1;
  const place = namespaceIn(filters.namespace);
  const { data, error, liveness } = useData(`builds?${query}`, () => load(filters, page), {
    everyMs: ({ builds }, live) => (live ? placesEveryMs(builds) : pollEveryMs(builds)),
    events: `${place ? `${pathOf(place)}/-` : ""}/events`,
    concerns: changesBuilds,
  });
  const now = useNow(true);
  if (error && !data) return <Failed error={error} />;
  const filtered = Object.values(filters).some(Boolean);
  return (
    <Page
      title="Builds"
      actions={
        <a class="button" href={`${base}/-/new-build`}>
          New build
        </a>
      }
    >
      <FilterForm>
        <FilterChoice name="status" label="Status" options={statuses.map((status) => [status, statusText(status)])} />
        <FilterField name="tag" label="Tag" />
        <FilterField name="search" label="Tag contains" type="search" />
        <FilterField name="namespace" label="Namespace" placeholder="user/path" />
      </FilterForm>
      <Live liveness={liveness} />
      {!data && <Loading />}
      {data && data.builds.length > 0 && (
        <ul class="rows">
          {data.builds.map((build) => (
            <BuildRow key={build.id} build={build} now={now} />
          ))}
        </ul>
      )}
      {data?.builds.length === 0 && <NoBuilds filtered={filtered} misnamed={Boolean(filters.namespace) && !place} />}
      {data && <Paging pages={data.pages} />}
    </Page>
  );
}

const NoBuilds = ({ filtered, misnamed }: { filtered: boolean; misnamed: boolean }) =>
  filtered ? (
    <Empty>
      <p>{misnamed ? "Name the namespace with its owner: user/path or path@user." : "No build matches."}</p>
      <p>
        <a href={`${base}/builds`}>Show all builds</a>
      </p>
    </Empty>
  ) : (
    <Empty>
      <p>There are no builds yet.</p>
      <p>
        <a href={`${base}/-/new-build`}>Submit the first one</a>, or connect a repository, so that each push submits
        one.
      </p>
    </Empty>
  );
