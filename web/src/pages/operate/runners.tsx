import { client, pagesIn, type Runner } from "../../api.js";
import { useData, useNow } from "../../data.js";
import { Ago, Empty, Failed, Live, Loading, Paging } from "../../parts.js";
import { OperateFrame } from "./frame.js";

async function load(query: URLSearchParams) {
  const response = await client.request(`/runners?${query}`);
  return { runners: (await response.json()) as Runner[], pages: pagesIn(response) };
}

/** The runners, and how many of their slots are busy. */
export function RunnersPage() {
  const query = new URLSearchParams(location.search);
  const { data, error, liveness } = useData(`runners?${query}`, () => load(query), { everyMs: () => 5_000 });
  const now = useNow(true);
  if (error && !data) return <Failed error={error} />;
  return (
    <OperateFrame title="Runners">
      <Live liveness={liveness} />
      {!data && <Loading />}
      {data && data.runners.length > 0 && (
        <ul class="rows">
          {data.runners.map((runner) => (
            <Row key={runner.id} runner={runner} now={now} />
          ))}
        </ul>
      )}
      {data?.runners.length === 0 && (
        <Empty>
          <p>No runner has reported in the last hour.</p>
          <p>Builds wait until one does. Start a runner. If it does not appear here, look at its log.</p>
        </Empty>
      )}
      {data && <Paging pages={data.pages} />}
    </OperateFrame>
  );
}

const busyText = ({ busy, places }: Runner): string =>
  places === null ? `${busy} busy` : `${busy} of ${places} slots busy`;

const Row = ({ runner, now }: { runner: Runner; now: number }) => (
  <li class="row">
    <span class={`status status-${runner.active ? "passed" : "queued"}`}>
      <span class="mark" aria-hidden="true">
        {runner.active ? "●" : "○"}
      </span>
      {runner.active ? "active" : "silent"}
    </span>
    <div class="what">
      <span>{runner.drivers.join(", ") || "no driver"}</span>
      <div class="quiet">
        <span>{runner.id}</span>
      </div>
    </div>
    <div class="when quiet">
      {runner.places !== null && (
        <meter min={0} max={runner.places} value={runner.busy} aria-label={`Busy slots of ${runner.id}`} />
      )}
      <span>{busyText(runner)}</span>
      <span>
        seen <Ago time={runner.seen_at} now={now} />
      </span>
    </div>
  </li>
);
