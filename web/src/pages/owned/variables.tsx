import { type components, record } from "@service-ci/client";
import { client, pageOf } from "../../api.js";
import { Check, Field, Form, LongField, Remove, textOf } from "../../form.js";
import { type AddProps, listPage, type RowProps } from "../../list-page.js";
import { Facts, listOf, NamespaceField, ownersOf, Where } from "../../owned.js";
import { OneRecord } from "../../record-page.js";
import { goAndSay } from "../../said.js";

type Variable = components["schemas"]["Variable"];

const at = (id: number) => ({ params: { path: { id } } });
const remove = ({ id }: Variable) => client.api.DELETE("/variables/{id}", at(id));

function Row({ record: variable, mixed, done }: RowProps<Variable>) {
  const { key, url, value, masked } = variable;
  return (
    <>
      <div class="what">
        <a href={pageOf(url)}>
          <code>{key}</code>
        </a>
        {mixed && (
          <div class="quiet">
            <Where record={variable} />
          </div>
        )}
      </div>
      {masked ? <span class="quiet">masked</span> : <code class="value">{value}</code>}
      <Remove
        what={`the variable ${key}`}
        work={() => remove(variable)}
        onDone={() => done(`Deleted the variable ${key}.`)}
      />
    </>
  );
}

const Mask = ({ checked }: { checked?: boolean }) => (
  <Check name="mask" label="Mask the value: pages, API responses and output never show it" checked={checked ?? false} />
);

/** Returns a value with its leading and trailing spaces. */
const valueIn = (fields: FormData): string => String(fields.get("value") ?? "");

function Add({ namespace, done }: AddProps) {
  const submit = async (fields: FormData) => {
    const variable = await record(
      client.api.POST("/variables", {
        body: {
          key: textOf(fields, "key"),
          value: valueIn(fields),
          mask: fields.has("mask"),
          namespace: textOf(fields, "namespace"),
        },
      }),
    );
    done(`Created the variable ${variable.key}.`);
  };
  return (
    <Form action="Create the variable" submit={submit}>
      <Field name="key" label="Name" required spellcheck={false} autoCapitalize="off" />
      <NamespaceField namespace={namespace} />
      <LongField name="value" label="Value" required rows={2} secret />
      <Mask />
    </Form>
  );
}

/** The variables of the user, or of a namespace. */
export const VariablesPage = listPage<Variable>({
  section: "variables",
  title: "Variables",
  about:
    "Environment variables of builds. A namespace's variables also apply to the builds of all namespaces below it.",
  empty: <p>There are no variables yet. Create one with the form above.</p>,
  add: { title: "New variable", Form: Add },
  Row,
});

/** One variable. */
export function VariablePage() {
  return (
    <OneRecord<Variable>
      kind="Variable"
      nameOf={({ key }) => key}
      actions={(variable) => (
        <Remove
          what={`the variable ${variable.key}`}
          work={() => remove(variable)}
          onDone={() => goAndSay(listOf("variables", variable), `Deleted the variable ${variable.key}.`)}
        />
      )}
    >
      {(variable, now, done) => (
        <>
          <Facts
            of={{
              Value: variable.masked ? <span class="quiet">masked</span> : <code>{variable.value}</code>,
              ...ownersOf(variable, now),
            }}
          />
          <Change variable={variable} done={done} />
        </>
      )}
    </OneRecord>
  );
}

function Change({ variable: { id, value, masked }, done }: { variable: Variable; done: (text: string) => void }) {
  const submit = async (fields: FormData) => {
    const typed = valueIn(fields);
    const body = { mask: fields.has("mask"), ...(masked && typed === "" ? {} : { value: typed }) };
    await client.api.PATCH("/variables/{id}", { ...at(id), body });
    done("Changed the variable.");
  };
  return (
    <section aria-label="Change">
      <h2>Change</h2>
      <Form action="Save" submit={submit}>
        <LongField
          name="value"
          label="New value"
          rows={3}
          secret
          required={!masked}
          defaultValue={masked ? "" : value}
          hint={masked ? "Leave empty to keep the value. To unmask the variable, enter a new value." : undefined}
        />
        <Mask checked={masked} />
      </Form>
    </section>
  );
}
