import { fillTimes } from "./fill-times.js";
import { type LogView, logView, type Window } from "./log-view.js";
import { linesBefore, offsetOfLine, type Start, sizeOf, textFrom } from "./source.js";

/** Of longer output only the end is shown at first. */
const wholeBytes = 256 * 1024;
/** What is loaded before a line that was asked for. */
const contextBytes = 16 * 1024;

/**
 * Where to open an output. `newest` loads its last lines; `end` also scrolls to the last one. The offset of a line is looked
 * up if it is missing.
 */
export type Place = "start" | "newest" | "end" | { readonly line: number; readonly offset?: number | undefined };

export interface LogState {
  readonly window: Window;
  readonly connected: boolean;
  /** Whether the end of the output is on the page. */
  readonly finished: boolean;
  /** The line that is being looked up. */
  readonly seeking?: number | undefined;
  /** A line that was looked up in vain. */
  readonly absent?: number | undefined;
  readonly error?: unknown;
}

export const emptyLog: LogState = {
  window: { from: 0, first: 1, lines: 0, full: false },
  connected: true,
  finished: false,
};

export interface LogSource {
  readonly url: string;
  readonly job: string;
  /** Whether the job may still print. */
  readonly follows: boolean;
  /** Whether lines show their times. */
  readonly times: boolean;
}

export interface LogControl {
  open(place: Place): void;
  /** Shows a line, and loads it if need be. */
  goTo(line: number, offset?: number): void;
  /** Shows the end, and loads it if need be. */
  goToEnd(): void;
  earlier(): void;
  later(): void;
  /** Gives lines their times, from now on and those on the page. */
  showTimes(on: boolean): void;
  stop(): void;
}

interface Callbacks {
  readonly onState: (state: LogState) => void;
  /** Called when the job has ended while its output was shown. */
  readonly onEnd: () => void;
}

interface Opening {
  readonly start: Start;
  /** Number of the first line; undefined if it is unknown. */
  readonly first?: number | undefined;
  readonly wanted?: number | undefined;
  readonly atEnd?: boolean | undefined;
  readonly absent?: number | undefined;
}

/** Returns from where to read for a place. */
async function openingAt(url: string, place: Place, signal: AbortSignal): Promise<Opening> {
  const newest = { start: { last: wholeBytes } };
  if (place === "newest" || place === "end") return { ...newest, atEnd: place === "end" };
  if (place === "start") return { start: { from: 0 }, first: 1 };
  const { line: wanted } = place;
  if ((await sizeOf(url, signal)) <= wholeBytes) return { start: { from: 0 }, first: 1, wanted };
  const from = place.offset ?? (await offsetOfLine(url, wanted, signal));
  return from === undefined ? { ...newest, absent: wanted } : { start: { from }, first: wanted, wanted };
}

/** Loads the parts of an output that the reader asks for, and shows them in `root`. */
export function logControl(root: HTMLElement, source: LogSource, { onState, onEnd }: Callbacks): LogControl {
  const { url, job, follows } = source;
  let stopping = new AbortController();
  let view: LogView | undefined;
  let state = emptyLog;
  let loading = false;
  let { times } = source;
  let grows = follows;
  let hasEnded = !follows;
  let lastPlace: Place = "newest";
  /** The signal of the stream that is being read. */
  let streaming: AbortSignal | undefined;

  const set = (change: Partial<LogState>) => {
    state = { ...state, ...change };
    onState(state);
  };

  /** Runs until it has finished or something else is opened. */
  function run(work: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = stopping;
    work(signal).catch((error) => !signal.aborted && set({ error, seeking: undefined }));
  }

  function show(from: number, { first = from === 0 ? 1 : undefined, wanted, atEnd = false }: Opening): LogView {
    const place = { from, first, wanted };
    const moves = { follows: grows || atEnd, jumps: atEnd };
    view = logView(root, { job, ...place, ...moves, onChange: (window) => set({ window }) });
    return view;
  }

  async function stream(opening: Opening, signal: AbortSignal): Promise<void> {
    const onConnection = (connected: boolean) => set({ connected });
    const reading = { onConnection, timestamps: times, onSoFar: () => grow(signal) };
    streaming = signal;
    try {
      for await (const { text, from, timed } of textFrom(url, opening.start, signal, reading)) {
        const shown = view ?? show(from, opening);
        if (!(await shown.append(text, timed))) return await fillAll(signal);
      }
    } finally {
      if (streaming === signal) streaming = undefined;
    }
    if (signal.aborted) return;
    if (follows) onEnd();
    await view?.drawn();
    if (signal.aborted) return;
    view?.end();
    const line = hasEnded ? undefined : state.absent;
    hasEnded = true;
    if (line !== undefined && !view?.hasMoved()) return open({ line });
    set({ finished: true, connected: true, ...(line === undefined ? {} : { absent: undefined }) });
    if (line === undefined || (await offsetOfLine(url, line, signal)) !== undefined) return;
    if (!signal.aborted) set({ absent: line });
  }

  /** Follows what comes after the text so far. The job of a service passes long before its output ends. */
  async function grow(signal: AbortSignal): Promise<void> {
    await view?.drawn();
    if (signal.aborted) return;
    grows = true;
    view?.follow();
    await fillAll(signal);
  }

  /** Gives lines on the page their times, if the reader wants them. */
  async function fillAll(signal: AbortSignal): Promise<void> {
    if (!times) return;
    await view?.drawn();
    for (let block = view?.untimed(); block && !signal.aborted; block = view?.untimed())
      if (!(await fillTimes(url, block, signal))) return;
  }

  async function loadEarlier(bytes: number | undefined, signal: AbortSignal): Promise<void> {
    const { from } = state.window;
    if (from === 0 || loading) return;
    loading = true;
    try {
      const lines = await linesBefore(url, from, signal, bytes);
      if (!signal.aborted) await view?.prepend(lines.text, lines.bytes);
    } finally {
      loading = false;
    }
    await fillAll(signal);
  }

  function stopLoading(): void {
    stopping.abort();
    stopping = new AbortController();
  }

  function open(place: Place): void {
    lastPlace = place;
    grows = follows;
    stopLoading();
    view?.stop();
    view = undefined;
    root.replaceChildren();
    set({ ...emptyLog, absent: undefined, seeking: typeof place === "object" ? place.line : undefined });
    run(async (signal) => {
      const opening = await openingAt(url, place, signal);
      const { start, first, absent } = opening;
      set({ seeking: undefined, absent });
      if ("from" in start && start.from > 0) {
        set({ window: { ...emptyLog.window, from: start.from, first } });
        show(start.from, opening);
        await loadEarlier(contextBytes, signal);
      }
      await stream(opening, signal);
    });
  }

  return {
    open,
    goTo(line, offset) {
      if (!view?.show(line)) open({ line, offset });
    },
    goToEnd() {
      if (!view?.showEnd()) open("end");
    },
    earlier: () => run((signal) => loadEarlier(undefined, signal)),
    later: () =>
      run(async (signal) => {
        if (view && state.window.full) await stream({ start: { from: view.resume() } }, signal);
      }),
    showTimes(on) {
      if (on === times) return;
      times = on;
      if (!on) return;
      if (!view) return open(lastPlace);
      const follows = streaming !== undefined;
      stopLoading();
      const { restart } = view;
      run((signal) => (follows ? stream({ start: { after: restart() } }, signal) : fillAll(signal)));
    },
    stop() {
      stopping.abort();
      view?.stop();
    },
  };
}
