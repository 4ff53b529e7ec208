import { type components, record } from "@service-ci/client";
import { client, pageOf } from "../../api.js";
import { Field, Form, LongField, Remove, textOf } from "../../form.js";
import { type AddProps, listPage, type RowProps } from "../../list-page.js";
import { Facts, listOf, NamespaceField, ownersOf, Where } from "../../owned.js";
import { Ago } from "../../parts.js";
import { OneRecord } from "../../record-page.js";
import { goAndSay } from "../../said.js";

type Key = components["schemas"]["Key"];

const at = (id: number) => ({ params: { path: { id } } });
const remove = ({ id }: Key) => client.api.DELETE("/keys/{id}", at(id));

const Row = ({ record: key, now, mixed, done }: RowProps<Key>) => (
  <>
    <div class="what">
      <a href={pageOf(key.url)}>{key.name}</a>
      <div class="quiet">
        {mixed && <Where record={key} />}
        <span>
          changed <Ago time={key.updated_at} now={now} />
        </span>
      </div>
    </div>
    <Remove what={`the key ${key.name}`} work={() => remove(key)} onDone={() => done(`Deleted the key ${key.name}.`)} />
  </>
);

const configHint = "Optional settings for the SSH client, such as Host and User.";

function Add({ namespace, done }: AddProps) {
  const submit = async (fields: FormData) => {
    const key = await record(
      client.api.POST("/keys", {
        body: {
          name: textOf(fields, "name"),
          key: String(fields.get("key")),
          config: String(fields.get("config")),
          namespace: textOf(fields, "namespace"),
        },
      }),
    );
    done(`Stored the key ${key.name}.`);
  };
  return (
    <Form action="Store the key" submit={submit}>
      <Field name="name" label="Name" required hint="Also the name of its file in a build" />
      <NamespaceField namespace={namespace} />
      <LongField name="key" label="Private key" required secret hint="Without a passphrase. It is never shown again." />
      <LongField name="config" label="Configuration" rows={3} hint={configHint} />
    </Form>
  );
}

/** The SSH keys of the user, or of a namespace. */
export const KeysPage = listPage<Key>({
  section: "keys",
  title: "SSH keys",
  about: "Private keys that builds find in their .ssh directory, for example to clone private repositories.",
  empty: <p>There are no keys yet. Store one with the form above.</p>,
  add: { title: "New key", Form: Add },
  Row,
});

/** One SSH key, without its private half. */
export function KeyPage() {
  return (
    <OneRecord<Key>
      kind="SSH key"
      nameOf={({ name }) => name}
      actions={(key) => (
        <Remove
          what={`the key ${key.name}`}
          work={() => remove(key)}
          onDone={() => goAndSay(listOf("keys", key), `Deleted the key ${key.name}.`)}
        />
      )}
    >
      {(key, now, done) => (
        <>
          <Facts of={{ ...ownersOf(key, now), Changed: <Ago time={key.updated_at} now={now} /> }} />
          <Change of={key} done={done} />
        </>
      )}
    </OneRecord>
  );
}

function Change({ of: { id, config }, done }: { of: Key; done: (text: string) => void }) {
  const submit = async (fields: FormData) => {
    await client.api.PATCH("/keys/{id}", { ...at(id), body: { config: String(fields.get("config")) } });
    done("Changed the configuration.");
  };
  return (
    <section aria-label="Configuration">
      <h2>Configuration</h2>
      <Form action="Save" submit={submit}>
        <LongField name="config" label="SSH client settings" rows={5} defaultValue={config} />
      </Form>
    </section>
  );
}
