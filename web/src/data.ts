import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { client, isUnauthorized } from "./api.js";

export interface Loaded<T> {
  readonly data?: T | undefined;
  /** Why there is no data, or why it is not up to date. */
  readonly error?: unknown;
  /** Whether the data is from now. */
  readonly live: boolean;
  readonly reload: () => void;
}

export interface Refresh<T> {
  /** How long until the data is read again; undefined stops that. */
  readonly everyMs?: ((data: T) => number | undefined) | undefined;
  /** An event stream whose events mean that the data has changed. */
  readonly events?: string | undefined;
}

const retryMs = 3_000;

/**
 * Loads data, and loads it again when `key` changes, as often as `everyMs` says while the page is visible, and after
 * each event. A failure keeps the data that is there.
 */
export function useData<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  refresh: Refresh<T> = {},
): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: unknown }>({ key });
  const [connected, setConnected] = useState(true);
  const latest = useRef({ load, refresh });
  latest.current = { load, refresh };
  const again = useRef(() => {});

  useEffect(() => {
    const stopping = new AbortController();
    const { signal } = stopping;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let running = false;
    let queued = false;
    const later = (ms: number | undefined) => {
      clearTimeout(timer);
      if (ms !== undefined && !signal.aborted) timer = setTimeout(() => (document.hidden ? later(ms) : run()), ms);
    };
    async function run(): Promise<void> {
      if (running) {
        queued = true;
        return;
      }
      running = true;
      try {
        const data = await latest.current.load(signal);
        if (!signal.aborted) setState({ key, data });
        later(latest.current.refresh.everyMs?.(data));
      } catch (error) {
        if (signal.aborted) return;
        setState((before) => ({ ...(before.key === key ? before : { key }), error }));
        if (latest.current.refresh.everyMs && !isUnauthorized(error)) later(retryMs);
      } finally {
        running = false;
        if (queued && !signal.aborted) {
          queued = false;
          void run();
        }
      }
    }
    again.current = () => void run();
    void run();
    return () => {
      stopping.abort();
      clearTimeout(timer);
    };
  }, [key]);

  const { events } = refresh;
  useEffect(() => {
    if (events === undefined) return;
    const stopping = new AbortController();
    const watch = async () => {
      const stream = client.follow(events, { signal: stopping.signal, onConnection: setConnected });
      for await (const _event of stream) again.current();
    };
    watch().catch(() => setConnected(false));
    return () => stopping.abort();
  }, [events]);

  const current = state.key === key ? state : { key };
  const reload = useCallback(() => again.current(), []);
  return { data: current.data, error: current.error, live: current.error === undefined && connected, reload };
}

/** Renders again every second while something runs. Returns the time. */
export function useNow(running: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}
