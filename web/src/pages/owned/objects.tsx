import type { components } from "@service-ci/client";
import { client, pageOf } from "../../api.js";
import { Remove } from "../../form.js";
import { size } from "../../format.js";
import { type AddProps, listPage, type RowProps } from "../../list-page.js";
import { Facts, listOf, ownersOf, Where } from "../../owned.js";
import { Ago } from "../../parts.js";
import { OneRecord } from "../../record-page.js";
import { goAndSay } from "../../said.js";
import { UploadForm } from "../../upload-form.js";

type StoredObject = components["schemas"]["Object"];

const at = (id: number) => ({ params: { path: { id } } });
const remove = ({ id }: StoredObject) => client.api.DELETE("/objects/{id}", at(id));

const Row = ({ record: object, now, mixed, done }: RowProps<StoredObject>) => (
  <>
    <div class="what">
      <a href={pageOf(object.url)}>{object.name}</a>
      <div class="quiet">
        {mixed && <Where record={object} />}
        <span>{size(object.size)}</span>
        <span>{object.type}</span>
        <Ago time={object.created_at} now={now} />
      </div>
    </div>
    <a href={pageOf(object.content_url)} rel="external" download aria-label={`Download ${object.name}`}>
      Download
    </a>
    <Remove
      what={`the object ${object.name}`}
      work={() => remove(object)}
      onDone={() => done(`Deleted the object ${object.name}.`)}
    />
  </>
);

/** Names of objects have letters, numbers, dots, dashes and underscores. */
const nameOf = (fileName: string): string => fileName.replace(/[^\w.-]+/g, "-");

const Add = (props: AddProps) => <UploadForm path="/objects" noun="object" nameOf={nameOf} {...props} />;

/** The objects of the user, or of a namespace. */
export const ObjectsPage = listPage<StoredObject>({
  section: "objects",
  title: "Objects",
  about: (
    <>
      Files that builds can use. A manifest places them with <code>objects</code>.
    </>
  ),
  empty: <p>There are no objects yet. Upload one with the form above.</p>,
  add: { title: "New object", Form: Add },
  Row,
});

/** One object. */
export function ObjectPage() {
  return (
    <OneRecord<StoredObject>
      kind="Object"
      nameOf={({ name }) => name}
      actions={(object) => (
        <>
          <a class="button" href={pageOf(object.content_url)} rel="external" download>
            Download
          </a>
          <Remove
            what={`the object ${object.name}`}
            work={() => remove(object)}
            onDone={() => goAndSay(listOf("objects", object), `Deleted the object ${object.name}.`)}
          />
        </>
      )}
    >
      {(object, now) => (
        <>
          <Facts
            of={{
              Size: `${size(object.size)} (${object.size} bytes)`,
              Type: object.type,
              "SHA-256": <code>{object.sha256}</code>,
              MD5: <code>{object.md5}</code>,
              ...ownersOf(object, now),
            }}
          />
          <p class="links">
            <a href={pageOf(object.builds_url)}>Builds that used it</a>
          </p>
        </>
      )}
    </OneRecord>
  );
}
