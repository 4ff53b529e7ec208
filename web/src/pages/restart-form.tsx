import { record } from "@service-ci/client";
import { type Build, client, pageOf } from "../api.js";
import { Check, Form } from "../form.js";
import { isFinished } from "../format.js";
import { go } from "../location.js";
import { VariablesField, variablesIn } from "../variables-field.js";

/** Restarts a build with other variables, or all builds of its matrix once they have finished. */
export function RestartForm({ build, group }: { build: Build; group: readonly Build[] }) {
  const { user, number, status } = build;
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
      <summary>{`Restart with other variables${build.group ? ", or all builds of the matrix" : ""}`}</summary>
      <Form action="Restart the build" submit={submit}>
        <VariablesField of="the new build" hint="Its other variables stay as they were." />
        {build.group && group.every((one) => isFinished(one.status)) && (
          <Check name="group" label="Restart all builds of the matrix" />
        )}
      </Form>
    </details>
  );
}
