import type { components } from "@service-ci/client";
import type { ComponentChildren } from "preact";
import { base, pageOf } from "./api.js";
import { Field } from "./form.js";
import { Ago } from "./parts.js";

type Schemas = components["schemas"];

/** Fields of every record that belongs to a namespace or to a user alone. */
interface Owned {
  readonly created_at: string;
  readonly author: Schemas["User"];
  readonly user: Schemas["User"];
  readonly namespace: Schemas["NamespaceCopy"] | null;
}

/** The namespace of a record, for lists that span namespaces. */
export const Where = ({ record: { namespace } }: { record: Pick<Owned, "namespace"> }) =>
  namespace ? <a href={pageOf(namespace.url)}>{namespace.path}</a> : <span>no namespace</span>;

/** The address of the list that a record is in. */
export const listOf = (section: "variables" | "keys" | "objects" | "images", { namespace }: Owned): string =>
  namespace ? (pageOf(namespace[`${section}_url`]) ?? base) : `${base}/${section}`;

/** The namespace of a new record. On a namespace's page it is fixed. */
export const NamespaceField = ({ namespace }: { namespace: string | undefined }) =>
  namespace === undefined ? (
    <Field
      name="namespace"
      label="Namespace"
      hint="path or path@owner. If empty, only your own builds use it. A new path creates the namespace."
    />
  ) : (
    <input type="hidden" name="namespace" value={namespace} />
  );

/** Names and values of a record. */
export const Facts = ({ of }: { of: Readonly<Record<string, ComponentChildren>> }) => (
  <dl class="facts">
    {Object.entries(of).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** Facts about the owner and the namespace of a record. */
export const ownersOf = (record: Owned, now: number): Readonly<Record<string, ComponentChildren>> => ({
  Namespace: <Where record={record} />,
  Owner: record.user.username,
  Created: (
    <>
      <Ago time={record.created_at} now={now} /> {`by ${record.author.username}`}
    </>
  ),
});
