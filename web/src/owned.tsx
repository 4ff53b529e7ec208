import type { components } from "@service-ci/client";
import type { ComponentChildren } from "preact";
import { base, pageOf } from "./api.js";
import { Field } from "./form.js";
import { Ago } from "./parts.js";

type Schemas = components["schemas"];

/** What all records say that a user creates for a namespace or only for themselves. */
interface Owned {
  readonly created_at: string;
  readonly author: Schemas["User"];
  readonly user: Schemas["User"];
  readonly namespace: Schemas["NamespaceCopy"] | null;
}

/** The namespace of a record, for lists of several namespaces. */
export const Where = ({ record: { namespace } }: { record: Pick<Owned, "namespace"> }) =>
  namespace ? <a href={pageOf(namespace.url)}>{namespace.path}</a> : <span>no namespace</span>;

/** The address of the list that a record is in. */
export const listOf = (section: "variables" | "keys" | "objects" | "images", { namespace }: Owned): string =>
  namespace ? (pageOf(namespace[`${section}_url`]) ?? base) : `${base}/${section}`;

/** The namespace of a new record. It stands in the address of a namespace's page. */
export const NamespaceField = ({ namespace }: { namespace: string | undefined }) =>
  namespace === undefined ? (
    <Field
      name="namespace"
      label="Namespace"
      hint="Its path, or path@owner. Empty: only your own builds use it. A new path creates the namespace."
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

/** The facts that say whose a record is. */
export const ownersOf = (record: Owned, now: number): Readonly<Record<string, ComponentChildren>> => ({
  Namespace: <Where record={record} />,
  Owner: record.user.username,
  Created: (
    <>
      <Ago time={record.created_at} now={now} /> {`by ${record.author.username}`}
    </>
  ),
});
