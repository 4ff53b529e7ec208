import { useId, useRef, useState } from "preact/hooks";

/** Returns a new secret: 32 random bytes, in an encoding that is safe in forms and headers. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** A read-only text with a button that copies it. */
export function Copy({ label, value }: { label: string; value: string }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState("");
  const copy = async () => {
    input.current?.select();
    try {
      // Browsers offer no clipboard to pages loaded over plain HTTP.
      if (navigator.clipboard) await navigator.clipboard.writeText(value);
      else if (!document.execCommand("copy")) throw new Error("refused");
      setSaid(`${label} copied.`);
    } catch {
      setSaid("Your browser does not let the page copy. Copy the selected text yourself.");
    }
  };
  return (
    <div class="field">
      <label class="quiet" for={id}>
        {label}
      </label>
      <div class="copy">
        <input id={id} ref={input} readOnly value={value} onFocus={(event) => event.currentTarget.select()} />
        <button type="button" aria-label={`Copy: ${label}`} onClick={copy}>
          Copy
        </button>
      </div>
      <p class="quiet" role="status">
        {said}
      </p>
    </div>
  );
}
