import { encodeName, isTagName, record } from "@service-ci/client";
import { useRef, useState } from "preact/hooks";
import { type Build, base, client, pageOf } from "../api.js";
import { formerName } from "../edit-again.js";
import { isFinished } from "../format.js";
import { go } from "../location.js";
import type { Work } from "../work.js";

interface Props {
  readonly build: Build;
  readonly work: Work;
}

const pathOf = ({ user, number }: Build) => ({ params: { path: { user: user.username, number } } });

/** The actions that a build's status allows. */
export function Actions({ build, work: { busy, start } }: Props) {
  const at = pathOf(build);
  const restart = async () => {
    const next = await record(client.api.POST("/b/{user}/{number}/restart", { ...at, body: {} }));
    go(pageOf(next.url) ?? next.url);
  };
  const pin = () =>
    build.pinned ? client.api.PATCH("/b/{user}/{number}/unpin", at) : client.api.PATCH("/b/{user}/{number}/pin", at);
  return (
    <>
      {build.queue?.reason === "waits for approval" && (
        <button
          type="button"
          disabled={busy}
          onClick={() => start(() => client.api.PATCH("/b/{user}/{number}/approve", at))}
        >
          Approve
        </button>
      )}
      {!isFinished(build.status) && (
        <button
          type="button"
          class="danger"
          disabled={busy}
          onClick={() => start(() => client.api.DELETE("/b/{user}/{number}", at))}
        >
          Kill
        </button>
      )}
      {isFinished(build.status) && (
        <button type="button" disabled={busy} onClick={() => start(restart)}>
          Restart
        </button>
      )}
      {build.manifest !== "" && (
        <a class="button" href={`${base}/-/new-build?from=${formerName(build)}`}>
          Edit and submit again
        </a>
      )}
      <button type="button" disabled={busy} aria-pressed={build.pinned} onClick={() => start(pin)}>
        {build.pinned ? "Unpin" : "Pin"}
      </button>
    </>
  );
}

const wrongTag = (name: string): string =>
  `Use a-z, A-Z, 0-9 and -_./ only, and not just . or .., instead of "${name}".`;

/** The tags of a build, and a field to add one. */
export function Tags({ build, work: { busy, start } }: Props) {
  const [name, setName] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const at = pathOf(build);
  const add = async () => {
    await client.api.POST("/b/{user}/{number}/tags", { ...at, body: [name.trim()] });
    setName("");
  };
  const remove = (tag: string) => client.request(`${build.tags_url}/${encodeName(tag)}`, { method: "DELETE" });
  return (
    <form
      class="tags"
      onSubmit={(event) => {
        event.preventDefault();
        const input = field.current;
        input?.setCustomValidity(isTagName(name.trim()) ? "" : wrongTag(name.trim()));
        if (name.trim() && input?.reportValidity()) start(add);
      }}
    >
      {build.tags.map((tag) => (
        <span class="tag" key={tag}>
          {tag}
          <button
            type="button"
            class="plain"
            disabled={busy}
            aria-label={`Remove the tag ${tag}`}
            onClick={() => start(() => remove(tag))}
          >
            ×
          </button>
        </span>
      ))}
      <input
        ref={field}
        aria-label="New tag"
        placeholder="Add a tag"
        value={name}
        onInput={(event) => {
          event.currentTarget.setCustomValidity("");
          setName(event.currentTarget.value);
        }}
      />
    </form>
  );
}
