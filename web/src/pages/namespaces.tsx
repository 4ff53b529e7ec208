import { record } from "@service-ci/client";
import { client, type Namespace, pageOf } from "../api.js";
import { Choice, Field, Form, textOf } from "../form.js";
import { type AddProps, listPage, type RowProps } from "../list-page.js";
import { Ago, Status } from "../parts.js";
import { useUser } from "../user.js";
import { visibilities } from "./namespace/settings.js";

const indentRem = 1.25;
/** Deeper levels are indented like this one, so that they fit on a phone. */
const maxIndents = 4;

/** A namespace as a row of a list, with its newest build. In the user's list the rows form a tree. */
function Row({ record: { url, path, name, user, description, visibility, build }, now, mixed }: RowProps<Namespace>) {
  const above = path.slice(0, path.length - name.length);
  const depth = Math.min(path.split("/").length - 1, maxIndents);
  return (
    <>
      <div class="what" style={mixed ? { paddingInlineStart: `${depth * indentRem}rem` } : {}}>
        <a href={pageOf(url)}>
          <span class="quiet">{above}</span>
          {name}
        </a>
        <div class="quiet">
          <span>{user.username}</span>
          <span>{visibility}</span>
          {description && <span>{description}</span>}
        </div>
      </div>
      <div class="when">
        {build && (
          <>
            <Status status={build.status} />
            <span class="quiet">
              <Ago time={build.created_at} now={now} />
            </span>
          </>
        )}
      </div>
    </>
  );
}

function Add({ params, done }: AddProps) {
  const me = useUser()?.username;
  if (params.user !== undefined && params.user !== me)
    return <p>{`Only the owner, ${params.user}, can create namespaces here.`}</p>;
  const submit = async (fields: FormData) => {
    const parent = params.path ?? textOf(fields, "parent");
    const visibility = textOf(fields, "visibility");
    const body = { name: textOf(fields, "name"), parent, description: textOf(fields, "description"), visibility };
    const { path } = await record(client.api.POST("/namespaces", { body }));
    done(`Created the namespace ${path}.`);
  };
  return (
    <Form action="Create the namespace" submit={submit}>
      <Field name="name" label="Name" required spellcheck={false} autoCapitalize="off" />
      {params.path === undefined && (
        <Field name="parent" label="Below" hint="Path of one of your namespaces. Leave empty to start a new tree." />
      )}
      <Field name="description" label="Description" />
      {params.path === undefined && (
        <Choice name="visibility" label="Visibility of a new tree" options={visibilities} />
      )}
    </Form>
  );
}

/** Namespaces by path: those where the user is a member, or those directly below another one. */
export const NamespacesPage = listPage<Namespace>({
  section: "namespaces",
  title: "Namespaces",
  about: "A namespace holds builds and what they use. The topmost namespace decides who sees its tree.",
  empty: (
    <>
      <p>You have no namespaces yet.</p>
      <p>
        Create one with the form above, or submit a manifest with <code>namespace: name</code>, which creates it.
      </p>
    </>
  ),
  emptyBelow: <p>There are no namespaces below this one.</p>,
  add: { title: "New namespace", Form: Add },
  concerns: ({ event }) => event === "namespaces" || event.startsWith("build."),
  Row,
});
