import { record } from "@service-ci/client";
import { useRef, useState } from "preact/hooks";
import { base, client, pageOf } from "../api.js";
import { useDraft } from "../draft.js";
import { go } from "../location.js";
import { exampleManifest, ManifestEditor } from "../manifest-editor.js";
import { Complaint, Page } from "../parts.js";

/** Returns the variables in a field, by key. Marks the field and returns undefined if a line is not a variable. */
function variablesIn(field: HTMLTextAreaElement | null): Record<string, string> | undefined {
  const lines = (field?.value ?? "").split("\n").filter((line) => line.trim() !== "");
  const wrong = lines.find((line) => line.indexOf("=") < 1);
  field?.setCustomValidity(wrong === undefined ? "" : `Write KEY=value, not "${wrong}".`);
  if (field && !field.reportValidity()) return undefined;
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")).trim(), line.slice(line.indexOf("=") + 1)]),
  );
}

const initial = { manifest: exampleManifest, comment: "", tags: "" };

/** Submits a manifest. Shows mistakes at their lines. */
export function NewBuildPage() {
  const [{ manifest, comment, tags }, change, submitted] = useDraft(initial);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const variables = useRef<HTMLTextAreaElement>(null);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const parameters = variablesIn(variables.current);
    if (!parameters) return;
    setBusy(true);
    setFailure(undefined);
    const names = tags.split(/[\s,]+/).filter(Boolean);
    try {
      const body = { manifest, comment, tags: names, variables: parameters };
      const build = await record(client.api.POST("/builds", { body }));
      submitted();
      go(pageOf(build.url) ?? `${base}/builds`);
    } catch (thrown) {
      setFailure(thrown);
      setBusy(false);
    }
  }

  return (
    <Page title="New build">
      <form class="new-build" onSubmit={submit}>
        <ManifestEditor manifest={manifest} onChange={(manifest) => change({ manifest })} />
        <div class="fields">
          <label>
            Comment
            <input value={comment} onInput={({ currentTarget: { value } }) => change({ comment: value })} />
          </label>
          <label>
            Tags, separated by spaces
            <input value={tags} onInput={({ currentTarget: { value } }) => change({ tags: value })} />
          </label>
        </div>
        <label for="variables">Variables of this build, one KEY=value per line</label>
        <textarea
          id="variables"
          ref={variables}
          rows={3}
          spellcheck={false}
          autoComplete="off"
          onInput={(event) => event.currentTarget.setCustomValidity("")}
        />
        {failure !== undefined && <Complaint error={failure} />}
        <button type="submit" class="primary" disabled={busy || manifest.trim() === ""}>
          {busy ? "Submitting …" : "Submit the build"}
        </button>
      </form>
    </Page>
  );
}
