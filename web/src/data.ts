import { mayPass, pauseAfter, type StreamEvent } from "@service-ci/client";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { isUnauthorized, serverTime } from "./api.js";
import { useStream } from "./stream.js";

/** Whether data is from now, and if not, why: the connection, events that the user may not follow, or the session. */
export type Liveness = "live" | "lost" | "polled" | "ended";

export interface Loaded<T> {
  readonly data?: T | undefined;
  /** Why there is no data, or why it is not up to date. */
  readonly error?: unknown;
  readonly liveness: Liveness;
  readonly reload: () => void;
}

export interface Refresh<T> {
  /** How long until the data is read again; undefined stops that. `live` says that events tell of changes. */
  readonly everyMs?: ((data: T, live: boolean) => number | undefined) | undefined;
  /** An event stream whose events mean that the data has changed. */
  readonly events?: string | undefined;
  /** Reports whether an event can have changed the data; all can if missing. */
  readonly concerns?: ((event: StreamEvent) => boolean) | undefined;
}

const retryMs = 3_000;
/** How often data is read that events do not tell of, unless `everyMs` says otherwise. */
const pollMs = 10_000;
/** Many events at a time make the page read once. */
const betweenReloadsMs = 1_000;

interface Reading<T> {
  load(signal: AbortSignal): Promise<T>;
  loaded(data: T): void;
  failed(error: unknown): void;
  /** How long until the next time; undefined for never. */
  pauseAfter(data: T): number | undefined;
  pauseAfterFailure(error: unknown): number | undefined;
}

interface Reader {
  /** Reads now, or again after the reading under way. */
  now(): void;
  /** Reads now, but not twice within a second. */
  soon(): void;
  stop(): void;
}

/** Reads until it is stopped: at the beginning, when it is told to, and after pauses while the page is visible. */
function startReading<T>(reading: () => Reading<T>): Reader {
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let soonTimer: ReturnType<typeof setTimeout> | undefined;
  let running = false;
  let queued = false;
  let begunMs = 0;
  const later = (ms: number | undefined) => {
    clearTimeout(timer);
    if (ms !== undefined) timer = setTimeout(() => (document.hidden ? later(ms) : now()), ms);
  };
  async function readOnce(): Promise<void> {
    begunMs = performance.now();
    try {
      const data = await reading().load(signal);
      if (signal.aborted) return;
      reading().loaded(data);
      later(reading().pauseAfter(data));
    } catch (error) {
      if (signal.aborted) return;
      reading().failed(error);
      later(reading().pauseAfterFailure(error));
    }
  }
  async function run(): Promise<void> {
    running = true;
    do {
      queued = false;
      await readOnce();
    } while (queued && !signal.aborted);
    running = false;
  }
  function now(): void {
    if (running) queued = true;
    else if (!signal.aborted) void run();
  }
  now();
  return {
    now,
    soon() {
      soonTimer ??= setTimeout(
        () => {
          soonTimer = undefined;
          now();
        },
        Math.max(0, begunMs + betweenReloadsMs - performance.now()),
      );
    },
    stop() {
      stopping.abort();
      clearTimeout(timer);
      clearTimeout(soonTimer);
    },
  };
}

function livenessOf(error: unknown, away: boolean, refused: boolean): Liveness {
  if (isUnauthorized(error)) return "ended";
  if (error === undefined && !away) return "live";
  return refused ? "polled" : "lost";
}

/**
 * Loads data, and loads it again when `key` changes, after each event that concerns it, and as often as `everyMs` says. A
 * failure keeps the data that is there.
 */
export function useData<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  refresh: Refresh<T> = {},
): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: unknown }>({ key });
  const reader = useRef<Reader>(undefined);
  const { events, everyMs, concerns } = refresh;
  const connection = useStream(events, (event) => {
    if (!event || (concerns?.(event) ?? true)) reader.current?.soon();
  });
  const follows = events !== undefined && (connection === "open" || connection === "opening");
  const away = events !== undefined && !follows;
  const latest = useRef<Reading<T>>(undefined);
  latest.current = {
    load,
    loaded: (data) => setState({ key, data }),
    failed: (error) => setState((before) => ({ ...(before.key === key ? before : { key }), error })),
    pauseAfter: (data) => (everyMs ? everyMs(data, follows) : away ? pollMs : undefined),
    pauseAfterFailure: (error) =>
      mayPass(error) || ((everyMs || events) && !isUnauthorized(error)) ? pauseAfter(error, retryMs) : undefined,
  };

  useEffect(() => {
    const mine = startReading(() => latest.current!);
    reader.current = mine;
    return mine.stop;
  }, [key]);
  useEffect(() => {
    if (away) reader.current?.soon();
  }, [away]);

  const current = state.key === key ? state : { key };
  const reload = useCallback(() => reader.current?.now(), []);
  const { data, error } = current;
  const liveness = livenessOf(error, away, connection === "refused");
  return { data, error, liveness, reload };
}

/** Renders again every second while something runs, else often enough for ages. Returns the server's time. */
export function useNow(running: boolean): number {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), running ? 1_000 : 30_000);
    return () => clearInterval(timer);
  }, [running]);
  return serverTime.now();
}
