import type { Build, Job } from "../api.js";
import { duration, spent } from "../format.js";
import { stagesOf } from "./build-stages.js";

/** A span of time, in milliseconds since 1970. */
interface Span {
  readonly from: number;
  readonly to: number;
}

interface Bar extends Span {
  readonly kind: string;
}

const seconds = ({ from, to }: Span): string => duration((to - from) / 1_000);

/** A bar on the scale of the whole build that shows when something ran. The text next to it says the same. */
const Track = ({ bars, whole }: { bars: readonly Bar[]; whole: Span }) => (
  <div class="track" aria-hidden="true">
    {bars.map(({ kind, from, to }) => {
      const share = (time: number) => (100 * (time - whole.from)) / Math.max(1, whole.to - whole.from);
      return (
        <span
          key={kind}
          class={`bar bar-${kind}`}
          style={{ left: `${share(from)}%`, width: `${share(to) - share(from)}%` }}
        />
      );
    })}
  </div>
);

function barsOf(build: Build, job: Job, now: number): Bar[] {
  if (!job.started_at) return [];
  const began = Date.parse(build.started_at ?? job.started_at);
  const from = Date.parse(job.started_at);
  const to = job.finished_at ? Date.parse(job.finished_at) : now;
  return [
    { kind: "waiting", from: Math.min(began, from), to: from },
    { kind: job.status, from, to },
  ];
}

/** Describes the bars of a job in words. */
function textOf(bars: readonly Bar[], job: Job): string {
  const [waited, ran] = bars;
  if (!waited || !ran) return job.finished_at ? "did not run" : "waiting";
  return `${job.finished_at ? "ran" : "running for"} ${seconds(ran)} after ${seconds(waited)}`;
}

/** The timeline of a build: when it, its stages and its jobs waited and ran. */
export function TimeLine({ build, jobs, now }: { build: Build; jobs: readonly Job[]; now: number }) {
  const created = Date.parse(build.created_at);
  const started = build.started_at ? Date.parse(build.started_at) : undefined;
  const whole = { from: created, to: build.finished_at ? Date.parse(build.finished_at) : now };
  const queued = { from: created, to: started ?? whole.to };
  const took = spent(build.started_at, build.finished_at, now);
  return (
    <details class="timeline">
      <summary>{`Timeline: waited ${seconds(queued)}${took && `, ran ${took}`}`}</summary>
      <ol>
        <li>
          <span class="name">queue</span>
          <span class="quiet">{`waited ${seconds(queued)} for a runner`}</span>
          <Track whole={whole} bars={[{ kind: "waiting", ...queued }]} />
        </li>
        {stagesOf(jobs).map(([stage, jobs]) => (
          <li key={stage}>
            <StageRow stage={stage} bars={jobs.map((job) => barsOf(build, job, now)[1])} whole={whole} />
            <ol>
              {jobs.map((job) => {
                const bars = barsOf(build, job, now);
                return (
                  <li key={job.id}>
                    <span class="name">{job.name}</span>
                    <span class="quiet">{textOf(bars, job)}</span>
                    <Track whole={whole} bars={bars} />
                  </li>
                );
              })}
            </ol>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** A stage lasts from the start of its first job to the end of its last. */
function StageRow({ stage, bars, whole }: { stage: string; bars: readonly (Bar | undefined)[]; whole: Span }) {
  const ran = bars.filter((bar) => bar !== undefined);
  const span = { from: Math.min(...ran.map(({ from }) => from)), to: Math.max(...ran.map(({ to }) => to)) };
  return (
    <>
      <strong class="name">{stage}</strong>
      <span class="quiet">{ran.length > 0 ? `${seconds(span)} in all` : "has not run"}</span>
      <Track whole={whole} bars={ran.length > 0 ? [{ kind: "stage", ...span }] : []} />
    </>
  );
}
