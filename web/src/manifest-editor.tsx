import { record } from "@service-ci/client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { client } from "./api.js";
import { counted } from "./format.js";
import { gutterOf } from "./gutter.js";
import { Complaint } from "./parts.js";
import { useSuggestions } from "./suggestions.js";

interface Mistake {
  readonly message: string;
  readonly line: number | null;
}

interface Checked {
  readonly errors: readonly Mistake[];
  readonly jobs: readonly { readonly stage: string; readonly name: string }[];
}

/** Pause in typing after which the manifest is checked. */
const pauseMs = 400;

/** The initial text of a new manifest. */
export const exampleManifest = `driver:
  type: docker
  image: busybox:1.37
  workspace: /build
stages:
- test
jobs:
- stage: test
  commands:
  - echo hello
`;

/** Lets the server check the manifest shortly after each change. */
function useCheck(manifest: string): { checked?: Checked | undefined; error?: unknown } {
  const [state, setState] = useState<{ checked?: Checked; error?: unknown }>({});
  useEffect(() => {
    if (manifest.trim() === "") return setState({});
    const stopping = new AbortController();
    const { signal } = stopping;
    const timer = setTimeout(() => {
      record(client.api.POST("/manifests/check", { body: { manifest }, signal })).then(
        (checked) => setState({ checked }),
        (error) => !signal.aborted && setState({ error }),
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stopping.abort();
    };
  }, [manifest]);
  return state;
}

interface ManifestProps {
  readonly manifest: string;
  readonly onChange: (manifest: string) => void;
}

/** Edits a manifest, with mistakes marked at their lines. In forms it is the field `manifest`. */
export function ManifestEditor({ manifest, onChange }: ManifestProps) {
  const { checked, error } = useCheck(manifest);
  const mistakes = useMemo(() => [...(checked?.errors ?? [])].sort((a, b) => (a.line ?? 0) - (b.line ?? 0)), [checked]);
  return (
    <div class="manifest">
      <Editor manifest={manifest} onChange={onChange} mistakes={mistakes} />
      <Verdict checked={checked} error={error} />
    </div>
  );
}

function goToLine(text: HTMLTextAreaElement | null, line: number): void {
  if (!text) return;
  const start = text.value.split("\n", line - 1).join("\n").length + (line > 1 ? 1 : 0);
  const end = text.value.indexOf("\n", start);
  text.focus();
  text.setSelectionRange(start, end < 0 ? text.value.length : end);
}

interface EditorProps extends ManifestProps {
  readonly mistakes: readonly Mistake[];
}

function Editor({ manifest, onChange, mistakes }: EditorProps) {
  const text = useRef<HTMLTextAreaElement>(null);
  const lines = manifest.split("\n").length;
  const gutter = useMemo(() => gutterOf(lines, new Set(mistakes.map(({ line }) => line ?? 0))), [lines, mistakes]);
  const { input, suggest, list } = useSuggestions(text, onChange);
  return (
    <>
      <label for="manifest">Manifest</label>
      <div class="editor">
        <div class="gutter" aria-hidden="true">
          {gutter.map((part) => (typeof part === "string" ? part : <span key={part}>{part}</span>))}
        </div>
        <textarea
          id="manifest"
          name="manifest"
          ref={text}
          rows={Math.max(lines, 12)}
          wrap="off"
          spellcheck={false}
          autoCapitalize="off"
          value={manifest}
          aria-invalid={mistakes.length > 0}
          aria-describedby="mistakes"
          {...input}
          onInput={(event) => {
            onChange(event.currentTarget.value);
            suggest();
          }}
        />
      </div>
      {list}
      <ul class="mistakes" id="mistakes">
        {mistakes.map(({ message, line }) => (
          <li key={`${line} ${message}`}>
            {line !== null && (
              <button type="button" class="plain" onClick={() => goToLine(text.current, line)}>
                {`Line ${line}`}
              </button>
            )}
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Verdict({ checked, error }: { checked: Checked | undefined; error: unknown }) {
  if (error !== undefined) return <Complaint error={error} />;
  const jobs = checked?.jobs ?? [];
  const text = () => {
    if (!checked) return "";
    const count = checked.errors.length;
    if (count > 0) return `${count} ${count === 1 ? "mistake" : "mistakes"}`;
    const names = jobs.map(({ name }) => name);
    return `Valid: ${[counted(jobs.length, "job"), ...(names.length > 0 ? [names.join(", ")] : [])].join(": ")}`;
  };
  return (
    <p class="quiet" role="status">
      {text()}
    </p>
  );
}
