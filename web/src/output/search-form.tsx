import { useEffect, useRef, useState } from "preact/hooks";
import { counted } from "../format.js";
import { Complaint } from "../parts.js";
import type { Found, Hit } from "./line-search.js";
import { searchOutput } from "./search.js";

interface Props {
  readonly url: string;
  /** Whether another search may find more. */
  readonly grows: boolean;
  /** Called with the line that the reader wants to see. */
  readonly onHit: (hit: Hit) => void;
}

interface Search {
  readonly text: string;
  readonly found?: Found | undefined;
  readonly at: number;
  readonly busy: boolean;
  readonly error?: unknown;
}

const none: Search = { text: "", at: 0, busy: false };

function statusOf({ text, found, at, busy }: Search): string {
  if (text === "") return "";
  const total = found?.total ?? 0;
  if (total > 0) return `${at + 1} of ${counted(total, "line")}${busy ? " so far" : ""}`;
  return busy ? "Searching …" : "No line has this text.";
}

/** Finds lines in the whole output, also those that are not on the page. Enter goes from one to the next. */
export function SearchForm({ url, grows, onHit }: Props) {
  const [search, setSearch] = useState(none);
  const stopping = useRef(new AbortController());
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => () => stopping.current.abort(), []);

  /** Searches, and goes to the hit at `at`, or to the first if there are no more. Old hits stay until it finds another. */
  function start(text: string, at = 0): void {
    stopping.current.abort();
    stopping.current = new AbortController();
    setSearch((before) => ({ ...(at > 0 ? before : none), text, busy: text !== "", error: undefined }));
    if (text === "") return;
    const { signal } = stopping.current;
    let isShown = false;
    const show = (found: Found, at: number) => {
      const hit = isShown ? undefined : found.hits[at];
      isShown ||= hit !== undefined;
      setSearch((before) => ({ ...before, found, at: hit ? at : before.at }));
      if (hit) onHit(hit);
    };
    const onFound = (found: Found) => {
      if (!signal.aborted && (isShown || at === 0 || found.hits.length > at)) show(found, at);
    };
    searchOutput(url, text, signal, onFound)
      .then((found) => !signal.aborted && !isShown && show(found, 0))
      .catch((error) => !signal.aborted && setSearch((before) => ({ ...before, error })))
      .finally(() => !signal.aborted && setSearch((before) => ({ ...before, busy: false })));
  }

  const hits = search.found?.hits ?? [];
  const hasHits = hits.length > 0;

  function step(by: number): void {
    if (!hasHits) return;
    const at = (search.at + by + hits.length) % hits.length;
    setSearch({ ...search, at });
    onHit(hits[at]!);
  }

  function submit(text: string): void {
    if (text !== search.text || !hasHits) start(text);
    else if (!grows || search.at < hits.length - 1) step(1);
    else if (!search.busy) start(text, hits.length);
  }

  return (
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        submit(input.current?.value ?? "");
      }}
    >
      <input ref={input} type="search" aria-label="Search the output" placeholder="Search the output" />
      <button type="submit" class="plain">
        {hasHits ? "Next" : "Search"}
      </button>
      {hasHits && (
        <button type="button" class="plain" onClick={() => step(-1)}>
          Previous
        </button>
      )}
      <span class="quiet" role="status">
        {statusOf(search)}
      </span>
      {search.error !== undefined && <Complaint error={search.error} />}
    </form>
  );
}
