import { each, record } from "@service-ci/client";
import { useRef } from "preact/hooks";
import { type Artifact, type Build, client, type Job, pageOf } from "../api.js";
import { useData, useNow } from "../data.js";
import { counted, isFinished, spent } from "../format.js";
import { useAddress } from "../location.js";
import { Output } from "../output/output.js";
import { Ago, Complaint, Empty, Failed, Live, Loading, Page, Status } from "../parts.js";
import { type Params, placeIn } from "../routes.js";
import { useWork } from "../work.js";
import { Actions, Tags } from "./build-actions.js";
import { Artifacts, Facts } from "./build-facts.js";
import { Group } from "./build-group.js";
import { stagesOf } from "./build-stages.js";
import { TimeLine } from "./build-timeline.js";
import { RestartForm } from "./restart-form.js";
import { useOutputInView, useShownJob } from "./shown-job.js";

/** Most records of one list that the page shows. */
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
  /** The builds of its matrix. */
  readonly group: readonly Build[];
}

async function groupOf({ group }: Build): Promise<Build[]> {
  if (!group) return [];
  const query = { group: String(group.id), brief: "true" as const };
  const builds = await all(each((page) => client.api.GET("/builds", { params: { query: { ...query, page } } })));
  return builds.sort((a, b) => (a.group?.index ?? 0) - (b.group?.index ?? 0));
}

async function load({ user = "", number = "" }: Params): Promise<Shown> {
  const path = { user, number: Number(number) };
  const at = (page: number) => ({ params: { path, query: { page } } });
  const brief = "true";
  const [build, jobs, artifacts] = await Promise.all([
    record(client.api.GET("/b/{user}/{number}", { params: { path, query: { brief } } })),
    all(each((page) => client.api.GET("/b/{user}/{number}/jobs", { params: { path, query: { page, brief } } }))),
    all(each((page) => client.api.GET("/b/{user}/{number}/artifacts", at(page)))),
  ]);
  return { build, jobs, artifacts, group: await groupOf(build) };
}

/** A build with its jobs and their output. */
export function BuildPage({ params }: { params: Params }) {
  const { data, error, liveness, reload } = useData(`build ${params.user}/${params.number}`, () => load(params), {
    everyMs: ({ build, group }) => ([build, ...group].every(({ status }) => isFinished(status)) ? undefined : 2_000),
  });
  const work = useWork(reload);
  const now = useNow(!data || !isFinished(data.build.status));
  if (error && !data) return <Failed error={error} />;
  const title = `${params.user} #${params.number}`;
  if (!data)
    return (
      <Page title={title}>
        <Loading />
      </Page>
    );
  const { build, jobs, artifacts, group } = data;
  return (
    <Page title={title} actions={<Actions build={build} work={work} />}>
      {work.failure !== undefined && <Complaint error={work.failure} />}
      <Summary build={build} now={now} />
      <Live liveness={liveness} />
      <Tags build={build} work={work} />
      <RestartForm build={build} group={group} />
      <Group build={build} group={group} work={work} />
      <TimeLine build={build} jobs={jobs} now={now} />
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
      {build.tests && <TestCounts build={build} tests={build.tests} />}
      {build.pinned && <span>pinned</span>}
    </p>
    {build.trigger.comment && <p class="comment">{build.trigger.comment}</p>}
  </div>
);

const TestCounts = ({ build, tests: { total, failed } }: { build: Build; tests: NonNullable<Build["tests"]> }) => (
  <a href={`${pageOf(build.url)}/tests`}>
    {failed > 0 ? `${failed} of ${counted(total, "test")} failed` : counted(total, "test")}
  </a>
);

function Jobs({ jobs, now, onEnd }: { jobs: readonly Job[]; now: number; onEnd: () => void }) {
  const place = placeIn(new URL(useAddress()).hash);
  const root = useRef<HTMLDivElement>(null);
  const shown = useShownJob(jobs, place.job, root);
  const showOutput = useOutputInView(place, root);
  if (!shown)
    return (
      <Empty>
        <p>This build has no jobs.</p>
      </Empty>
    );
  return (
    <>
      {place.job !== undefined && place.job !== shown.name && (
        <p class="quiet" role="status">{`This build has no job ${place.job}.`}</p>
      )}
      <div class="jobs" ref={root}>
        <nav class="stages" aria-label="Jobs">
          {stagesOf(jobs).map(([stage, jobs]) => (
            <section key={stage} aria-label={`Stage ${stage}`}>
              <h2>{stage}</h2>
              <ul>
                {jobs.map((job) => (
                  <li key={job.id}>
                    <a
                      href={`#${encodeURIComponent(job.name)}`}
                      aria-current={job.id === shown.id ? "true" : undefined}
                      onClick={job.id === shown.id ? showOutput : undefined}
                    >
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
    </>
  );
}
