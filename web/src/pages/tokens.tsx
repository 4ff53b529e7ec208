import { record } from "@service-ci/client";
import { useState } from "preact/hooks";
import { client } from "../api.js";
import { Form, Remove } from "../form.js";
import { type AddProps, listPage, type RowProps } from "../list-page.js";
import { Secret } from "../secret.js";
import { type Token, TokenFacts } from "../token-facts.js";
import { resources, TokenFields, tokenIn } from "../token-fields.js";
import { useUser } from "../user.js";

const Row = ({ record: token, now, done }: RowProps<Token>) => (
  <>
    <TokenFacts token={token} now={now} />
    <Remove
      what={`the token ${token.name}`}
      work={() => client.api.DELETE("/tokens/{id}", { params: { path: { id: token.id } } })}
      onDone={() => done(`Deleted the token ${token.name}. It no longer works.`)}
    />
  </>
);

function Add({ done }: AddProps) {
  const [made, setMade] = useState<{ name: string; secret: string }>();
  const submit = async (fields: FormData) => {
    const { name, secret } = await record(client.api.POST("/tokens", { body: tokenIn(fields) }));
    setMade({ name, secret });
    done(`Created the token ${name}.`);
  };
  const close = () => {
    setMade(undefined);
    done("The secret is no longer on this page.");
  };
  return (
    <>
      <Form action="Create the token" submit={submit}>
        <TokenFields resources={useUser()?.admin ? [...resources, "user"] : resources} />
      </Form>
      {made && <Secret of={`the token ${made.name}`} secret={made.secret} onClose={close} />}
    </>
  );
}

/** The tokens of the user. */
export const TokensPage = listPage<Token>({
  section: "tokens",
  title: "Tokens",
  about: "Programs send a token to act for you. Deleting a token also ends the sessions that were opened with it.",
  empty: <p>You have no token yet. Create one with the form above.</p>,
  add: { title: "New token", Form: Add },
  searchable: false,
  Row,
});
