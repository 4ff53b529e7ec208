import { base, client, type Namespace } from "../../api.js";
import { Choice, Form, LongField, Remove, textOf } from "../../form.js";
import type { Params } from "../../routes.js";
import { goAndSay } from "../../said.js";
import { namespacePath } from "./frame.js";

/** Who can see a namespace. */
export const visibilities = {
  private: "Private: only its members",
  internal: "Internal: every user of this installation",
  public: "Public: every user, and the badge without signing in",
};

interface Props {
  readonly params: Params;
  readonly namespace: Namespace;
  readonly done: (text: string) => void;
}

/** What the owner can change about a namespace. */
export function Settings({ params, namespace, done }: Props) {
  const { user: username = "", path = "" } = params;
  const isRoot = namespace.parent === null;
  const submit = async (fields: FormData) => {
    const body = {
      description: textOf(fields, "description"),
      ...(isRoot ? { visibility: textOf(fields, "visibility") } : {}),
    };
    await client.api.PATCH("/n/{username}/{path}", { params: { path: { username, path } }, body });
    done("Changed the namespace.");
  };
  return (
    <section aria-label="Change">
      <h2>Change</h2>
      <Form action="Save" submit={submit}>
        <LongField name="description" label="Description" rows={2} defaultValue={namespace.description} />
        {isRoot && <Choice name="visibility" label="Visibility" options={visibilities} value={namespace.visibility} />}
      </Form>
      {!isRoot && <p class="quiet">{`The topmost namespace decides who sees its tree: ${namespace.visibility}.`}</p>}
    </section>
  );
}

/** Deletes a namespace, after a warning about what is lost. */
export const Delete = ({ params, namespace: { path, parent } }: Pick<Props, "params" | "namespace">) => (
  <section class="parting" aria-label="Delete">
    <h2>Delete</h2>
    <p>
      The namespaces below it, invites{parent ? "" : ", collaborators"}, webhooks, repositories and cron jobs are
      deleted with it, permanently. Builds, images, objects, variables and keys are kept, and belong to {params.user}{" "}
      alone.
    </p>
    <p>
      <Remove
        what={`the namespace ${path}`}
        work={() => client.request(namespacePath(params), { method: "DELETE" })}
        onDone={() => goAndSay(`${base}/namespaces`, `Deleted the namespace ${path}.`)}
      />
    </p>
  </section>
);
