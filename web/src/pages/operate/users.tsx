import { record } from "@service-ci/client";
import { type Account, client, pagesIn } from "../../api.js";
import { useData, useNow } from "../../data.js";
import { FilterField, FilterForm } from "../../filter-form.js";
import { Check, Field, Form, Remove, textOf } from "../../form.js";
import { Ago, Empty, Failed, Loading, Paging } from "../../parts.js";
import { useSaying } from "../../said.js";
import { OperateFrame } from "./frame.js";
import { UserToken } from "./user-token.js";

async function load(query: URLSearchParams) {
  const response = await client.request(`/users?${query}`);
  return { users: (await response.json()) as Account[], pages: pagesIn(response) };
}

/** Lists, creates and deletes users, and creates tokens for them. */
export function UsersPage() {
  const query = new URLSearchParams(location.search);
  const { data, error, reload } = useData(`users?${query}`, () => load(query));
  const [said, setSaid] = useSaying();
  const now = useNow(false);
  if (error && !data) return <Failed error={error} />;
  const done = (sentence: string) => {
    setSaid(sentence);
    reload();
  };
  return (
    <OperateFrame title="Users">
      <FilterForm>
        <FilterField name="search" label="Name or e-mail contains" type="search" />
      </FilterForm>
      <p role="status">{said}</p>
      {!data && <Loading />}
      {data && data.users.length > 0 && (
        <ul class="rows">
          {data.users.map((user) => (
            <Row key={user.id} user={user} now={now} onDone={done} />
          ))}
        </ul>
      )}
      {data?.users.length === 0 && (
        <Empty>
          <p>No user matches.</p>
        </Empty>
      )}
      {data && <Paging pages={data.pages} />}
      <NewUser onDone={done} />
    </OperateFrame>
  );
}

interface Done {
  readonly onDone: (sentence: string) => void;
}

const Row = ({ user: { username, email, admin, created_at }, now, onDone }: { user: Account; now: number } & Done) => (
  <li class="row">
    <div class="what">
      <strong>{username}</strong>
      <div class="quiet">
        <span>{email}</span>
        {admin && <span>administrator</span>}
        {created_at && (
          <span>
            since <Ago time={created_at} now={now} />
          </span>
        )}
      </div>
      <UserToken username={username} />
    </div>
    <div class="when">
      <Remove
        what={`the user ${username}`}
        work={() => client.api.DELETE("/users/{username}", { params: { path: { username } } })}
        onDone={() => onDone(`The user ${username} is deleted.`)}
      />
    </div>
  </li>
);

function NewUser({ onDone }: Done) {
  const create = async (fields: FormData) => {
    const body = {
      username: textOf(fields, "username"),
      email: textOf(fields, "email"),
      admin: fields.has("admin"),
    };
    const { username } = await record(client.api.POST("/users", { body }));
    onDone(`The user ${username} is created. Make a token for them, so that they can sign in.`);
  };
  return (
    <section aria-label="New user">
      <h2>New user</h2>
      <Form action="Create the user" submit={create}>
        <Field name="username" label="Username" required />
        <Field name="email" label="E-mail address" type="email" required />
        <Check name="admin" label="Administrator" />
      </Form>
    </section>
  );
}
