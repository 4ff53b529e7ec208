import { record } from "@service-ci/client";
import { useState } from "preact/hooks";
import { client } from "../../api.js";
import { Form } from "../../form.js";
import { Secret } from "../../secret.js";
import { resources, TokenFields, tokenIn } from "../../token-fields.js";

/** Creates a token for a user. Its secret is shown once. */
export function UserToken({ username }: { username: string }) {
  const [secret, setSecret] = useState<string>();
  const create = async (fields: FormData) => {
    setSecret(undefined);
    const params = { path: { username } };
    setSecret((await record(client.api.POST("/users/{username}/tokens", { params, body: tokenIn(fields) }))).secret);
  };
  return (
    <details>
      <summary aria-label={`New token for ${username}`}>New token</summary>
      {secret !== undefined && (
        <Secret of={`the token of ${username}`} secret={secret} onClose={() => setSecret(undefined)} />
      )}
      <Form action={`Create a token for ${username}`} submit={create}>
        <TokenFields resources={resources} />
      </Form>
    </details>
  );
}
