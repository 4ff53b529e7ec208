import { record } from "@service-ci/client";
import { base, client, type Queue } from "../../api.js";
import { useData, useNow } from "../../data.js";
import { duration } from "../../format.js";
import { Ago, Empty, Failed, Live, Loading } from "../../parts.js";
import { Chart } from "./chart.js";
import { OperateFrame } from "./frame.js";

const spans = ["1", "3", "12", "24"];
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Numbers of queued and running builds, now and in the last hours. */
export function QueuePage() {
  const hours = new URLSearchParams(location.search).get("hours") ?? "3";
  const load = () => record(client.api.GET("/queue", { params: { query: { hours } } }));
  const { data, error, liveness } = useData(`queue ${hours}`, load, { everyMs: () => 10_000 });
  const now = useNow(true);
  if (error && !data) return <Failed error={error} />;
  return (
    <OperateFrame title="Queue">
      <Live liveness={liveness} />
      {!data && <Loading />}
      {data && (
        <>
          <p role="status">
            {data.oldest_since ? (
              <>
                The oldest build was queued <Ago time={data.oldest_since} now={now} />.
              </>
            ) : (
              "The queue is empty."
            )}
          </p>
          <Drivers drivers={data.drivers} />
          <nav class="counts" aria-label="Time span">
            {spans.map((span) => (
              <a key={span} href={`${base}/queue?hours=${span}`} aria-current={span === hours ? "page" : undefined}>
                {span === "1" ? "1 hour" : `${span} hours`}
              </a>
            ))}
          </nav>
          <History queue={data} span={{ from: now - Number(hours) * hourMs, to: now }} />
        </>
      )}
    </OperateFrame>
  );
}

const Drivers = ({ drivers }: Pick<Queue, "drivers">) => (
  <table class="numbers">
    <caption>Now</caption>
    <thead>
      <tr>
        <th scope="col">Driver</th>
        <th scope="col">Waiting</th>
        <th scope="col">Running</th>
        <th scope="col">Runners</th>
      </tr>
    </thead>
    <tbody>
      {drivers.map(({ driver, queued, running, runners }) => (
        <tr key={driver}>
          <th scope="row">{driver}</th>
          <td>{queued}</td>
          <td>{running}</td>
          <td>{runners}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const whole = (value: number): string => String(Math.round(value));

function History({ queue: { history, period_minutes }, span }: { queue: Queue; span: { from: number; to: number } }) {
  if (history.length === 0)
    return (
      <Empty>
        <p>There is no history yet. The service records it once a minute.</p>
      </Empty>
    );
  const common = { times: history.map(({ at }) => Date.parse(at)), stepMs: period_minutes * minuteMs, span };
  const each = (field: Exclude<keyof Queue["history"][number], "at">) => history.map((period) => period[field]);
  return (
    <>
      <Chart
        {...common}
        title="Builds"
        format={whole}
        series={[
          { name: "waiting", values: each("queued") },
          { name: "running", values: each("running") },
          { name: "runners", values: each("runners") },
        ]}
      />
      <Chart
        {...common}
        title="Mean durations"
        format={duration}
        series={[
          { name: "waited", values: each("wait_seconds") },
          { name: "ran", values: each("run_seconds") },
        ]}
      />
      <Chart
        {...common}
        title={`Builds in ${period_minutes} min`}
        format={whole}
        series={[
          { name: "started", values: each("started") },
          { name: "ended", values: each("finished") },
        ]}
      />
    </>
  );
}
