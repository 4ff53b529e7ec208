import { useEffect, useRef, useState } from "preact/hooks";
import { client, type Job, pageOf } from "../api.js";
import { isFinished, size } from "../format.js";
import { Complaint, Empty, Live } from "../parts.js";
import { type LogView, logView } from "./log-view.js";

/** Of longer output only the end is shown at first. */
const wholeBytes = 1024 * 1024;
const tailBytes = 256 * 1024;

interface Props {
  readonly job: Job;
  /** The line that the address names. */
  readonly line: number | undefined;
  readonly onEnd: () => void;
}

/** Returns the size of an output so far. */
async function sizeOf(url: string, signal: AbortSignal): Promise<number> {
  const { headers } = await client.request(url, { method: "HEAD", signal });
  return Number(headers.get("content-length") ?? 0);
}

/** Yields the text of an output from a position on. Text in the middle of a line is left out. */
async function* textFrom(url: string, from: number, signal: AbortSignal, onConnection: (connected: boolean) => void) {
  const after = from > 0 ? { after: String(from) } : {};
  let inLine = from > 0;
  for await (const { event, data } of client.follow(url, { ...after, signal, onConnection })) {
    if (event !== "output" || typeof data !== "string") continue;
    const start = inLine ? data.indexOf("\n") + 1 : 0;
    if (inLine && start === 0) continue;
    inLine = false;
    yield data.slice(start);
  }
}

/** The output of a job, as it grows. */
export function Output({ job, line, onEnd }: Props) {
  const root = useRef<HTMLElement>(null);
  const view = useRef<LogView | undefined>(undefined);
  const ended = useRef(onEnd);
  ended.current = onEnd;
  const [whole, setWhole] = useState(line !== undefined);
  const [skipped, setSkipped] = useState(0);
  const [{ lines, dropped }, setLines] = useState({ lines: 0, dropped: 0 });
  const [connected, setConnected] = useState(true);
  const [finished, setFinished] = useState(false);
  const [error, setError] = useState<unknown>();
  const { name, output_url: url } = job;

  useEffect(() => {
    if (!root.current) return;
    const element = root.current;
    element.replaceChildren();
    const stopping = new AbortController();
    const { signal } = stopping;
    const show = async () => {
      const bytes = whole ? 0 : await sizeOf(url, signal);
      const from = bytes > wholeBytes ? bytes - tailBytes : 0;
      setSkipped(from);
      const follows = !isFinished(job.status);
      const onLines = (lines: number, dropped: number) => setLines({ lines, dropped });
      const log = logView(element, { job: name, numbered: from === 0, follows, wanted: line, onLines });
      view.current = log;
      signal.addEventListener("abort", () => log.stop());
      for await (const text of textFrom(url, from, signal, setConnected)) log.append(text);
      if (signal.aborted) return;
      setFinished(true);
      setConnected(true);
      if (follows) ended.current();
    };
    setError(undefined);
    setFinished(false);
    show().catch((thrown) => !signal.aborted && setError(thrown));
    return () => stopping.abort();
  }, [url, whole]);

  useEffect(() => {
    if (line === undefined) return;
    if (skipped > 0) setWhole(true);
    view.current?.show(line);
  }, [line, skipped]);

  return (
    <section class="output" aria-label={`Output of ${name}`}>
      <div class="toolbar">
        <span class="quiet">{`${lines} lines`}</span>
        <a href={pageOf(url)} rel="external">
          Raw
        </a>
        <a href={pageOf(job.content_url)} rel="external" download>
          Download
        </a>
      </div>
      {error !== undefined && <Complaint error={error} />}
      <Live live={connected} />
      {skipped > 0 && (
        <p class="earlier">
          {`The first ${size(skipped)} are not shown. `}
          <button type="button" onClick={() => setWhole(true)}>
            Show all
          </button>
        </p>
      )}
      {dropped > 0 && (
        <p class="earlier">{`The first ${dropped} lines are no longer shown. The raw output has them.`}</p>
      )}
      <section class="log" ref={root} aria-label={`Lines of ${name}`} />
      {lines === 0 && <NoOutput job={job} finished={finished} />}
    </section>
  );
}

const NoOutput = ({ job, finished }: { job: Job; finished: boolean }) => (
  <Empty>
    <p>{finished || isFinished(job.status) ? "This job has printed nothing." : "Nothing was printed yet."}</p>
  </Empty>
);
