import { record } from "@service-ci/client";
import { type Build, client, pageOf } from "../api.js";
import { Check, Form } from "../form.js";
import { isFinished } from "../format.js";
import { go } from "../location.js";
import { VariablesField, variablesIn } from "../variables-field.js";

/** Restarts a build with other variables, or all builds of its matrix. */
export function RestartForm({ build }: { build: Build }) {
  const { user, number, group, status } = build;
  if (!isFinished(status)) return null;
  const submit = async (fields: FormData) => {
    const next = await record(
      client.api.POST("/b/{user}/{number}/restart", {
        params: { path: { user: user.username, number }, query: fields.has("group") ? { group: "true" } : {} },
        body: { variables: variablesIn(String(fields.get("variables"))) },
      }),
    );
    go(pageOf(next.url) ?? next.url);
  };
  return (
    <details class="restart">
      <summary>{group ? "Restart the matrix, or with other variables" : "Restart with other variables"}</summary>
      <Form action="Restart the build" submit={submit}>
        <VariablesField hint="The new build keeps the others that this one was given." />
        {group && <Check name="group" label="Restart all builds of the matrix" />}
      </Form>
    </details>
  );
}
