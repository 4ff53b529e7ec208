import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { client } from "./api.js";
import { type Completion, completionAt, type Schema, type Suggestion } from "./completion.js";

/** More suggestions would hide the text below. */
const maxShown = 12;
const listId = "suggestions";

interface Open extends Completion {
  /** The suggestion that Enter accepts; undefined until an arrow key has chosen one. */
  readonly chosen?: number | undefined;
}

let schema: Promise<Schema> | undefined;

/** Loads the schema of manifests once. */
function loadSchema(): Promise<Schema> {
  schema ??= client.request("/manifest.schema.json").then((response) => response.json() as Promise<Schema>);
  schema.catch(() => {
    schema = undefined;
  });
  return schema;
}

/**
 * Suggests keys and values while the user types, and on Ctrl+Space. Arrow keys choose one, Enter accepts it, Escape
 * closes the list. Until one is chosen, all keys work as usual.
 */
export function useSuggestions(text: RefObject<HTMLTextAreaElement | null>, onChange: (manifest: string) => void) {
  const [known, setKnown] = useState<Schema>();
  const [open, setOpen] = useState<Open>();
  useEffect(() => {
    loadSchema().then(setKnown, () => undefined);
  }, []);

  function suggest(always: boolean): void {
    const field = text.current;
    const isCursor = field && field === document.activeElement && field.selectionStart === field.selectionEnd;
    const found = known && isCursor ? completionAt(known, field.value, field.selectionStart) : undefined;
    setOpen(found && (always || found.to > found.from) ? found : undefined);
  }

  useEffect(() => suggest(false), [known]);

  function take({ text: word }: Suggestion): void {
    const field = text.current;
    if (!field || !open) return;
    field.setRangeText(word, open.from, open.to, "end");
    field.focus();
    setOpen(undefined);
    onChange(field.value);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const isAsked = event.key === " " && event.ctrlKey;
    if (isAsked) suggest(true);
    if (isAsked || (open && act(event.key, open))) event.preventDefault();
  }

  /** Reports whether the list handled the key. */
  function act(key: string, open: Open): boolean {
    const count = Math.min(open.suggestions.length, maxShown);
    const chosen = open.chosen === undefined ? undefined : open.suggestions[open.chosen];
    const choose = (by: number) =>
      setOpen({ ...open, chosen: ((open.chosen ?? (by > 0 ? -1 : 0)) + by + count) % count });
    if (key === "ArrowDown") choose(1);
    else if (key === "ArrowUp") choose(-1);
    else if (key === "Escape") setOpen(undefined);
    else if (key === "Enter" && chosen) take(chosen);
    else return false;
    return true;
  }

  /** Closing the list moves the page, so a click that takes the focus comes first. */
  function onBlur(): void {
    const stopping = new AbortController();
    const { signal } = stopping;
    const close = () => {
      stopping.abort();
      setOpen(undefined);
    };
    const isPressed = document.querySelector(":active") !== null;
    if (!isPressed) close();
    else for (const type of ["click", "auxclick", "contextmenu"]) addEventListener(type, close, { signal });
  }

  const input = {
    onKeyDown,
    onBlur,
    "aria-autocomplete": "list" as const,
    "aria-controls": open && listId,
    "aria-activedescendant": open?.chosen === undefined ? undefined : `${listId}-${open.chosen}`,
  };
  return { input, suggest: () => suggest(false), list: <Suggestions open={open} onTake={take} /> };
}

function Suggestions({ open, onTake }: { open: Open | undefined; onTake: (one: Suggestion) => void }) {
  const count = open?.suggestions.length ?? 0;
  return (
    <>
      <p class="hidden" role="status">
        {count === 0 ? "" : `${count} ${count === 1 ? "suggestion" : "suggestions"}. Choose with the arrow keys.`}
      </p>
      {open && (
        <div class="suggestions" id={listId} role="listbox" aria-label="Suggestions">
          {open.suggestions.slice(0, maxShown).map((one, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field that has the focus takes the keys
            <div
              key={one.text}
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === open.chosen}
              // The field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onTake(one)}
            >
              <code>{one.text.trimEnd()}</code> <span class="quiet">{one.about}</span>
            </div>
          ))}
        </div>
      )}
    </>
  );
}
