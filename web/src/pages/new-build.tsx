import { record } from "@service-ci/client";
import { useState } from "preact/hooks";
import { base, client, pageOf } from "../api.js";
import { useDraft } from "../draft.js";
import { go } from "../location.js";
import { exampleManifest, ManifestEditor } from "../manifest-editor.js";
import { Complaint, Page } from "../parts.js";
import { VariablesField, variablesIn } from "../variables-field.js";

const initial = { manifest: exampleManifest, comment: "", tags: "" };

/** Submits a manifest. Shows mistakes at their lines. */
export function NewBuildPage() {
  const [{ manifest, comment, tags }, change, submitted] = useDraft(initial);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();

  async function submit(event: SubmitEvent & { currentTarget: HTMLFormElement }): Promise<void> {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setBusy(true);
    setFailure(undefined);
    const names = tags.split(/[\s,]+/).filter(Boolean);
    try {
      const body = { manifest, comment, tags: names, variables: variablesIn(String(fields.get("variables"))) };
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
        <VariablesField />
        {failure !== undefined && <Complaint error={failure} />}
        <button type="submit" class="primary" disabled={busy || manifest.trim() === ""}>
          {busy ? "Submitting …" : "Submit the build"}
        </button>
      </form>
    </Page>
  );
}
