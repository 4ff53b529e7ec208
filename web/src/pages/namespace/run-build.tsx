import { record } from "@service-ci/client";
import { base, client, pageOf } from "../../api.js";
import { Field, Form, textOf } from "../../form.js";
import { go } from "../../location.js";
import type { Params } from "../../routes.js";
import { pathOf } from "./deliveries.js";

/** Builds a branch or tag of a repository. Opens the build, or the delivery unless it has exactly one so far. */
export function RunBuild({ params }: { params: Params }) {
  const run = async (fields: FormData) => {
    const body = { ref: textOf(fields, "ref") };
    const at = { params: { path: pathOf(params) }, body };
    const delivery = await record(client.api.POST("/n/{username}/{path}/-/repositories/{id}/run", at));
    const [build, ...others] = delivery.builds;
    const target = build !== undefined && others.length === 0 ? build : delivery.url;
    go(pageOf(target ?? "") ?? base);
  };
  return (
    <details>
      <summary>Run a build</summary>
      <Form action="Run" submit={run}>
        <Field
          name="ref"
          label="Branch or tag"
          placeholder="main"
          hint="Leave empty for the default branch. The newest commit is built, as after a push."
        />
      </Form>
    </details>
  );
}
