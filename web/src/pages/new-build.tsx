import { newKey, record } from "@service-ci/client";
import { useRef, useState } from "preact/hooks";
import { base, client, pageOf } from "../api.js";
import { useData } from "../data.js";
import { useDraft } from "../draft.js";
import { type Former, loadFormer } from "../edit-again.js";
import { go } from "../location.js";
import { exampleManifest, ManifestEditor } from "../manifest-editor.js";
import { Complaint, Failed, Loading, Page } from "../parts.js";
import { useUser } from "../user.js";
import { VariablesField, variablesIn } from "../variables-field.js";
import { useWork } from "../work.js";

/** Submits a manifest, an example at first, or that of the build in the address. */
export function NewBuildPage() {
  const from = new URLSearchParams(location.search).get("from");
  return from === null ? <NewBuild /> : <EditAgain name={from} />;
}

function EditAgain({ name }: { name: string }) {
  const { data, error } = useData(`former ${name}`, () => loadFormer(name));
  const user = useUser();
  const { current: first } = useRef<{ me?: string }>({});
  first.me ??= user?.username;
  if (error && !data) return <Failed error={error} />;
  if (data && first.me !== undefined) return <NewBuild former={data} me={first.me} />;
  return (
    <Page title="New build">
      <Loading />
    </Page>
  );
}

const initialOf = (former: Former | undefined) => ({
  manifest: former?.build.manifest ?? exampleManifest,
  comment: "",
  tags: former?.build.tags.join(" ") ?? "",
});

/** Returns a function that returns the key of a submission. While nothing succeeds, the same submission keeps its key. */
function useKey() {
  const last = useRef<{ readonly text: string; readonly key: string }>(undefined);
  return (body: unknown): string => {
    const text = JSON.stringify(body);
    if (last.current?.text !== text) last.current = { text, key: newKey() };
    return last.current.key;
  };
}

/** Shows mistakes at their lines. */
function NewBuild({ former, me = "" }: { former?: Former; me?: string }) {
  const [initial] = useState(() => initialOf(former));
  const [{ manifest, comment, tags }, change, submitted] = useDraft(initial);
  const { busy, failure, start, forget } = useWork(() => undefined);
  const keyOf = useKey();

  async function submit(fields: FormData): Promise<void> {
    const names = tags.split(/[\s,]+/).filter(Boolean);
    const body = { manifest, comment, tags: names, variables: variablesIn(String(fields.get("variables"))) };
    const headers = { "Idempotency-Key": keyOf(body) };
    const build = await record(client.api.POST("/builds", { body, headers }));
    submitted();
    go(pageOf(build.url) ?? `${base}/builds`);
  }
  const edit = (manifest: string) => {
    forget();
    change({ manifest });
  };

  return (
    <Page title="New build">
      {former && <About former={former} me={me} />}
      <form
        class="new-build"
        onInput={forget}
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          if (!busy) start(() => submit(fields));
        }}
      >
        <ManifestEditor manifest={manifest} onChange={edit} />
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
        <VariablesField value={former?.variables} hint={former && leftText(former)} />
        {failure !== undefined && <Complaint error={failure} />}
        <button type="submit" class="primary" disabled={busy || manifest.trim() === ""}>
          {busy ? "Submitting …" : "Submit the build"}
        </button>
      </form>
    </Page>
  );
}

function leftText({ left }: Former): string | undefined {
  const texts = Object.entries(left).map(([reason, keys]) => `${keys.join(", ")} (${reason})`);
  return texts.length === 0 ? undefined : `Not copied: ${texts.join("; ")}.`;
}

/** Says which build is submitted again, and what the manifest does not say about it. */
function About({ former: { build }, me }: { former: Former; me: string }) {
  const { namespace, number, trigger, url, user } = build;
  const isHook = ["push", "pull"].includes(trigger.type);
  const mayBeHook = isHook || (trigger.type === "manual" && trigger.data.restart_of !== undefined);
  const owner = namespace?.user.username;
  const named = namespace && (mayBeHook || owner !== me) ? `${namespace.path}@${owner}` : undefined;
  return (
    <p class="quiet">
      A copy of <a href={pageOf(url)}>{`${user.username} #${number}`}</a>.
      {named && (
        <>
          {" It belonged to the namespace "}
          <code>{named}</code>. To submit the new build there, write <code>{`namespace: ${named}`}</code> in the
          manifest.
        </>
      )}
      {mayBeHook &&
        `${isHook ? " It" : " If a repository triggered the build that it restarted, it"} cloned that repository. ` +
          "The new build clones only what the manifest lists under sources."}
    </p>
  );
}
