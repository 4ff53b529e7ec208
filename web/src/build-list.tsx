import { type Build, client, currentPath, type Pages, pagesIn } from "./api.js";
import { useData, useNow } from "./data.js";
import { changesBuilds, pollEveryMs } from "./live-builds.js";
import { BuildRow, Complaint, Empty, Failed, Live, Loading, Page, Paging } from "./parts.js";

interface Listed {
  readonly builds: readonly Build[];
  readonly pages: Pages;
}

async function load(address: string): Promise<Listed> {
  const [path, query] = address.split("?");
  const response = await client.request(
    `${path}?${new URLSearchParams([...new URLSearchParams(query), ["brief", "true"]])}`,
  );
  return { builds: await response.json(), pages: pagesIn(response) };
}

const useBuilds = (address: string) =>
  useData<Listed>(`builds ${address}`, () => load(address), {
    // Some of the builds may be in namespaces whose events only members get.
    everyMs: ({ builds }, live) => (live ? 15_000 : pollEveryMs(builds)),
    events: "/events",
    concerns: changesBuilds,
  });

const Rows = ({ builds, empty }: { builds: readonly Build[]; empty: string }) => {
  const now = useNow(true);
  return builds.length === 0 ? (
    <Empty>
      <p>{empty}</p>
    </Empty>
  ) : (
    <ul class="rows">
      {builds.map((build) => (
        <BuildRow key={build.id} build={build} now={now} />
      ))}
    </ul>
  );
};

/** The newest builds of a list. */
export function NewestBuilds({ address, empty }: { address: string; empty: string }) {
  const { data, error, liveness } = useBuilds(address);
  if (!data) return error ? <Complaint error={error} /> : <Loading />;
  return (
    <>
      <Live liveness={liveness} />
      <Rows builds={data.builds.slice(0, 5)} empty={empty} />
    </>
  );
}

/** A list of builds that belong to another record. */
export function BuildListPage() {
  const path = currentPath();
  const { data, error, liveness } = useBuilds(path + location.search);
  if (error && !data) return <Failed error={error} />;
  return (
    <Page title={path.startsWith("/cron/") ? "Builds of a cron job" : "Builds that used an object"}>
      <p>
        <a href={location.pathname.replace(/\/builds$/, "")}>
          {path.startsWith("/cron/") ? "The cron job" : "The object"}
        </a>
      </p>
      <Live liveness={liveness} />
      {data ? <Rows builds={data.builds} empty="There are no builds yet." /> : <Loading />}
      {data && <Paging pages={data.pages} />}
    </Page>
  );
}
