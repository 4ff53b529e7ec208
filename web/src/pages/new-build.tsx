import { record } from "@service-ci/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { base, client, pageOf } from "../api.js";
import { go } from "../location.js";
import { Complaint, Page } from "../parts.js";

interface Mistake {
  readonly message: string;
  readonly line: number | null;
}

interface Checked {
  readonly errors: readonly Mistake[];
  readonly jobs: readonly { readonly stage: string; readonly name: string }[];
}

/** How long the reader has to pause before the manifest is checked. */
const pauseMs = 400;

const example = `driver:
  type: os
stages:
- test
jobs:
- stage: test
  commands:
  - echo hello
`;

/** Has the server check the manifest a moment after each change. */
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

/** Submits a manifest. Mistakes in it stand at their lines. */
export function NewBuildPage() {
  const [manifest, setManifest] = useState(example);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const comment = useRef<HTMLInputElement>(null);
  const tags = useRef<HTMLInputElement>(null);
  const { checked, error } = useCheck(manifest);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    const names = (tags.current?.value ?? "").split(/[\s,]+/).filter(Boolean);
    try {
      const body = { manifest, comment: comment.current?.value ?? "", tags: names };
      const build = await record(client.api.POST("/builds", { body }));
      go(pageOf(build.url) ?? `${base}/builds`);
    } catch (thrown) {
      setFailure(thrown);
      setBusy(false);
    }
  }

  return (
    <Page title="New build">
      <form class="new-build" onSubmit={submit}>
        <Editor manifest={manifest} onChange={setManifest} mistakes={checked?.errors ?? []} />
        <Verdict checked={checked} error={error} />
        <div class="fields">
          <label>
            Comment
            <input ref={comment} />
          </label>
          <label>
            Tags, separated by spaces
            <input ref={tags} />
          </label>
        </div>
        {failure !== undefined && <Complaint error={failure} />}
        <button type="submit" class="primary" disabled={busy || manifest.trim() === ""}>
          {busy ? "Submitting …" : "Submit the build"}
        </button>
      </form>
    </Page>
  );
}

function goToLine(text: HTMLTextAreaElement | null, line: number): void {
  if (!text) return;
  const start = text.value.split("\n", line - 1).join("\n").length + (line > 1 ? 1 : 0);
  const end = text.value.indexOf("\n", start);
  text.focus();
  text.setSelectionRange(start, end < 0 ? text.value.length : end);
}

interface EditorProps {
  readonly manifest: string;
  readonly onChange: (manifest: string) => void;
  readonly mistakes: readonly Mistake[];
}

function Editor({ manifest, onChange, mistakes }: EditorProps) {
  const text = useRef<HTMLTextAreaElement>(null);
  const lines = manifest.split("\n").length;
  const wrong = new Set(mistakes.map(({ line }) => line));
  return (
    <>
      <label for="manifest">Manifest</label>
      <div class="editor">
        <div class="gutter" aria-hidden="true">
          {Array.from({ length: lines }, (_, index) => (
            <span key={index} class={wrong.has(index + 1) ? "wrong" : undefined}>
              {index + 1}
            </span>
          ))}
        </div>
        <textarea
          id="manifest"
          ref={text}
          rows={Math.max(lines, 12)}
          wrap="off"
          spellcheck={false}
          autoCapitalize="off"
          value={manifest}
          aria-invalid={mistakes.length > 0}
          aria-describedby="mistakes"
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </div>
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
    return `Valid: ${jobs.length} ${jobs.length === 1 ? "job" : "jobs"}: ${jobs.map(({ name }) => name).join(", ")}`;
  };
  return (
    <p class="quiet" role="status">
      {text()}
    </p>
  );
}
