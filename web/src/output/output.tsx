import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Job, pageOf } from "../api.js";
import { counted, hasFailed, isFinished, size } from "../format.js";
import { Complaint, Empty, Live } from "../parts.js";
import { useChoice } from "./choices.js";
import { keepInView } from "./keep-in-view.js";
import { emptyLog, LogControl } from "./log-control.js";
import type { Window } from "./log-view.js";
import { SearchForm } from "./search-form.js";

interface Props {
  readonly job: Job;
  /** The line that the address names. */
  readonly line: number | undefined;
  readonly onEnd: () => void;
}

/** Counts how often a job has run again: after its runner is lost, a finished job is no longer finished. */
function useReruns(status: Job["status"]): number {
  const { current } = useRef({ finished: false, reruns: 0 });
  if (current.finished && !isFinished(status)) current.reruns++;
  current.finished = isFinished(status);
  return current.reruns;
}

/** Opens the output of a job in an element, as long as it is on the page. */
function useLog({ job, line, onEnd }: Props, times: boolean) {
  const root = useRef<HTMLElement>(null);
  const control = useRef<LogControl | undefined>(undefined);
  const ended = useRef(onEnd);
  ended.current = onEnd;
  const [state, setState] = useState(emptyLog);
  const { name, output_url: url, status } = job;
  const reruns = useReruns(status);

  useEffect(() => {
    if (!root.current) return;
    const source = { url, job: name, follows: !isFinished(status), times };
    const log = new LogControl(root.current, source, { onState: setState, onEnd: () => ended.current() });
    control.current = log;
    log.open(line === undefined ? (hasFailed(status) ? "end" : "newest") : { line });
    return () => log.stop();
  }, [url, reruns]);

  const opened = useRef(line);
  useEffect(() => {
    if (line !== undefined && line !== opened.current) control.current?.goTo(line);
    opened.current = line;
  }, [line]);

  return { root, control, state };
}

/** The output of a job, as it grows. */
export function Output(props: Props) {
  const { job } = props;
  const [wraps, toggleWraps] = useChoice("wraps");
  const [times, toggleTimes] = useChoice("times");
  const { root, control, state } = useLog(props, times);
  const scrollBack = useRef<() => void>(undefined);
  const kept = (toggle: () => void) => () => {
    if (root.current) scrollBack.current = keepInView(root.current);
    toggle();
  };
  useLayoutEffect(() => {
    scrollBack.current?.();
    control.current?.showTimes(times);
  }, [wraps, times]);
  const { window, connected, finished, seeking, absent, error } = state;
  const grows = !isFinished(job.status);
  const missing = finished ? (absent ?? window.wanted) : grows ? absent : undefined;
  const look = `log${wraps ? "" : " nowrap"}${times ? " with-times" : ""}`;
  return (
    <section class="output" aria-label={`Output of ${job.name}`}>
      <div class="toolbar">
        <span class="quiet">{countText(window)}</span>
        <SearchForm
          url={job.output_url}
          grows={!finished}
          onHit={({ line, offset }) => control.current?.goTo(line, offset)}
        />
        <button type="button" class="plain" onClick={() => control.current?.goToEnd()}>
          End
        </button>
        <button type="button" class="plain" aria-pressed={wraps} onClick={kept(toggleWraps)}>
          Wrap lines
        </button>
        <button type="button" class="plain" aria-pressed={times} onClick={kept(toggleTimes)}>
          Times
        </button>
        <a href={pageOf(job.output_url)} rel="external">
          Raw
        </a>
        <a href={pageOf(job.content_url)} rel="external" download>
          Download
        </a>
      </div>
      {error === undefined ? <Live liveness={connected ? "live" : "lost"} /> : <Complaint error={error} />}
      {seeking !== undefined && <p class="quiet" role="status">{`Looking for line ${seeking} …`}</p>}
      {missing !== undefined && missing === props.line && (
        <p class="quiet" role="status">{`The output has no line ${missing}${finished ? "" : " yet"}.`}</p>
      )}
      {window.from > 0 && (
        <p class="earlier">
          {`The first ${size(window.from)} are not shown. `}
          <button type="button" onClick={() => control.current?.earlier()}>
            Earlier lines
          </button>{" "}
          <button type="button" onClick={() => control.current?.open("start")}>
            From the beginning
          </button>
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard */}
      <section class={look} ref={root} tabIndex={0} aria-label={`Lines of ${job.name}`} />
      {window.full && (
        <p class="earlier" role="status">
          {"The page holds no more lines. "}
          <button type="button" onClick={() => control.current?.later()}>
            Later lines
          </button>{" "}
          <button type="button" onClick={() => control.current?.goToEnd()}>
            Go to the end
          </button>
        </p>
      )}
      {window.lines === 0 && window.from === 0 && (finished || !isFinished(job.status)) && (
        <NoOutput finished={finished} />
      )}
    </section>
  );
}

/** Says how many lines there are, or which of them are on the page. */
function countText({ first, lines }: Window): string {
  if (first === undefined) return lines === 1 ? "the last line" : `the last ${lines} lines`;
  if (first === 1) return counted(lines, "line");
  return lines === 1 ? `line ${first}` : `lines ${first} to ${first + lines - 1}`;
}

const NoOutput = ({ finished }: { finished: boolean }) => (
  <Empty>
    <p>{finished ? "This job has printed nothing." : "Nothing was printed yet."}</p>
  </Empty>
);
