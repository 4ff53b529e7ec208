import { each, record } from "@service-ci/client";
import { useState } from "preact/hooks";
import { type Artifact, type Build, client, type Job, pageOf } from "../api.js";
import { useData, useNow } from "../data.js";
import { isFinished, spent } from "../format.js";
import { useAddress } from "../location.js";
import { Output } from "../output/output.js";
import { Ago, Complaint, Empty, Failed, Live, Loading, Page, Status } from "../parts.js";
import { type Params, placeIn } from "../routes.js";
import { Actions, Tags } from "./build-actions.js";
import { Artifacts, Facts } from "./build-facts.js";

/** Records of one list that the page shows. */
const maxRecords = 1_000;

async function all<T>(records: AsyncGenerator<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of records) if (found.push(one) >= maxRecords) break;
  return found;
}

interface Shown {
  readonly build: Build;
  readonly jobs: readonly Job[];
  readonly artifacts: readonly Artifact[];
}

async function load({ user = "", number = "" }: Params): Promise<Shown> {
  const path = { user, number: Number(number) };
  const at = (page: number) => ({ params: { path, query: { page } } });
  const [build, jobs, artifacts] = await Promise.all([
    record(client.api.GET("/b/{user}/{number}", { params: { path } })),
    all(each((page) => client.api.GET("/b/{user}/{number}/jobs", at(page)))),
    all(each((page) => client.api.GET("/b/{user}/{number}/artifacts", at(page)))),
  ]);
  return { build, jobs, artifacts };
}

/** The job to show if the address names none: one that runs, else the first that failed, else the last that ran. */
function mainJob(jobs: readonly Job[]): Job | undefined {
  const first = (...statuses: string[]) => jobs.find(({ status }) => statuses.includes(status));
  const ran = jobs.filter(({ started_at }) => started_at);
  return first("running") ?? first("failed", "timed_out", "killed") ?? ran.at(-1) ?? jobs[0];
}

/** A build with its jobs and their output. */
export function BuildPage({ params }: { params: Params }) {
  const { data, error, live, reload } = useData(`build ${params.user}/${params.number}`, () => load(params), {
    everyMs: ({ build }) => (isFinished(build.status) ? undefined : 2_000),
  });
  const [failure, setFailure] = useState<unknown>();
  const now = useNow(!data || !isFinished(data.build.status));
  if (error && !data) return <Failed error={error} />;
  const title = `${params.user} #${params.number}`;
  if (!data)
    return (
      <Page title={title}>
        <Loading />
      </Page>
    );
  const { build, jobs, artifacts } = data;
  return (
    <Page title={title} actions={<Actions build={build} onDone={reload} onFailure={setFailure} />}>
      {failure !== undefined && <Complaint error={failure} />}
      <Summary build={build} now={now} />
      <Live live={live} />
      <Tags build={build} onDone={reload} onFailure={setFailure} />
      <Jobs jobs={jobs} now={now} onEnd={reload} />
      <Artifacts artifacts={artifacts} finished={isFinished(build.status)} />
      <Facts build={build} />
    </Page>
  );
}

const Summary = ({ build, now }: { build: Build; now: number }) => (
  <div class="summary">
    <p role="status">
      <Status status={build.status} />
      {build.reason && <span class="reason">{build.reason}</span>}
      {build.queue && <span>{`${build.queue.reason}, position ${build.queue.position} in the queue`}</span>}
    </p>
    <p class="quiet">
      {build.started_at && <span>{spent(build.started_at, build.finished_at, now)}</span>}
      <span>
        submitted <Ago time={build.created_at} now={now} />
      </span>
      {build.namespace && <a href={pageOf(build.namespace.url)}>{build.namespace.path}</a>}
      {build.pinned && <span>pinned</span>}
    </p>
    {build.trigger.comment && <p class="comment">{build.trigger.comment}</p>}
  </div>
);

/** Divides jobs by their stages, in order. */
function stagesOf(jobs: readonly Job[]): [string, Job[]][] {
  const stages = new Map<string, Job[]>();
  for (const job of jobs) stages.set(job.stage, [...(stages.get(job.stage) ?? []), job]);
  return [...stages];
}

function Jobs({ jobs, now, onEnd }: { jobs: readonly Job[]; now: number; onEnd: () => void }) {
  const place = placeIn(new URL(useAddress()).hash);
  // Until the reader has chosen a job, the page follows the build from job to job.
  const shown = jobs.find((job) => job.name === place.job) ?? mainJob(jobs);
  if (!shown)
    return (
      <Empty>
        <p>This build has no jobs.</p>
      </Empty>
    );
  return (
    <div class="jobs">
      <nav class="stages" aria-label="Jobs">
        {stagesOf(jobs).map(([stage, jobs]) => (
          <section key={stage} aria-label={`Stage ${stage}`}>
            <h2>{stage}</h2>
            <ul>
              {jobs.map((job) => (
                <li key={job.id}>
                  <a href={`#${encodeURIComponent(job.name)}`} aria-current={job.id === shown.id ? "true" : undefined}>
                    <span class="name">{job.name}</span>
                    <span class="quiet">{spent(job.started_at, job.finished_at, now)}</span>
                    <Status status={job.status} />
                    {job.reason && <span class="reason">{job.reason}</span>}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <Output key={shown.id} job={shown} line={place.job === shown.name ? place.line : undefined} onEnd={onEnd} />
    </div>
  );
}
