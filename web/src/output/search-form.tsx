import { useEffect, useRef, useState } from "preact/hooks";
import { Complaint } from "../parts.js";
import type { Found, Hit } from "./line-search.js";
import { searchOutput } from "./search.js";

interface Props {
  readonly url: string;
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
  if (total > 0) return `${at + 1} of ${total} lines${busy ? " so far" : ""}`;
  return busy ? "Searching …" : "No line has this text.";
}

/** Finds lines in the whole output, also those that are not on the page. Enter goes from one to the next. */
export function SearchForm({ url, onHit }: Props) {
  const [search, setSearch] = useState(none);
  const stopping = useRef(new AbortController());
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => () => stopping.current.abort(), []);

  function start(text: string): void {
    stopping.current.abort();
    stopping.current = new AbortController();
    setSearch({ text, at: 0, busy: text !== "" });
    if (text === "") return;
    const { signal } = stopping.current;
    let isFirst = true;
    const onFound = (found: Found) => {
      if (signal.aborted) return;
      setSearch((before) => ({ ...before, found }));
      if (isFirst && found.hits[0]) {
        isFirst = false;
        onHit(found.hits[0]);
      }
    };
    searchOutput(url, text, signal, onFound)
      .catch((error) => !signal.aborted && setSearch((before) => ({ ...before, error })))
      .finally(() => !signal.aborted && setSearch((before) => ({ ...before, busy: false })));
  }

  function step(by: number): void {
    const hits = search.found?.hits ?? [];
    if (hits.length === 0) return;
    const at = (search.at + by + hits.length) % hits.length;
    setSearch({ ...search, at });
    onHit(hits[at]!);
  }

  const hasHits = (search.found?.hits.length ?? 0) > 0;
  return (
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        const text = input.current?.value ?? "";
        if (text === search.text && hasHits) step(1);
        else start(text);
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
