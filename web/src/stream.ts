import { ApiError, type StreamEvent } from "@service-ci/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { client } from "./api.js";

/** Whether a stream has opened, has lost its connection, or may not be opened. */
export type Connection = "opening" | "open" | "lost" | "refused";

const isRefusal = (error: unknown): boolean => error instanceof ApiError && [401, 403, 404].includes(error.status);

function useVisible(): boolean {
  const [visible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const update = () => setVisible(!document.hidden);
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, []);
  return visible;
}

/**
 * Follows a stream of events while the page is visible, because a browser has few connections for all its tabs. Calls
 * `heard` with each event, and without one whenever the stream opens: what happened before is not among the events.
 */
export function useStream(path: string | undefined, heard: (event?: StreamEvent) => void): Connection {
  const [connection, setConnection] = useState<Connection>("opening");
  const visible = useVisible();
  const latest = useRef(heard);
  latest.current = heard;
  useEffect(() => {
    if (path === undefined || !visible) return;
    const stopping = new AbortController();
    const { signal } = stopping;
    const become = (next: Connection) => {
      if (!signal.aborted) setConnection(next);
    };
    const onConnection = (open: boolean) => {
      become(open ? "open" : "lost");
      if (open) latest.current();
    };
    const watch = async () => {
      become("opening");
      for await (const event of client.follow(path, {
        signal,
        onConnection,
        waitsForServer: true,
        waitsForProxy: true,
      }))
        latest.current(event);
    };
    watch().catch((error) => become(isRefusal(error) ? "refused" : "lost"));
    return () => stopping.abort();
  }, [path, visible]);
  return connection;
}
