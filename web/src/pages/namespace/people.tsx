import { type components, record } from "@service-ci/client";
import { base, client } from "../../api.js";
import { Field, Form, Remove, textOf } from "../../form.js";
import { type AddProps, listPage, type RowProps } from "../../list-page.js";
import { Ago } from "../../parts.js";
import type { Params } from "../../routes.js";
import { goAndSay } from "../../said.js";
import { useUser } from "../../user.js";
import { namespacePath } from "./frame.js";

export type Collaborator = components["schemas"]["Collaborator"];

/** The form with which the owner invites a user. */
export function InviteForm({ params, done }: Pick<AddProps, "params" | "done">) {
  const { user: username = "", path = "" } = params;
  const submit = async (fields: FormData) => {
    const body = { handle: textOf(fields, "handle") };
    const invite = await record(
      client.api.POST("/n/{username}/{path}/-/invites", { params: { path: { username, path } }, body }),
    );
    done(`Invited ${invite.invitee.username}, who can accept the invite on the Invites page.`);
  };
  return (
    <Form action="Send the invite" submit={submit}>
      <Field name="handle" label="User" required hint="Username or e-mail address" />
    </Form>
  );
}

/** A collaborator, whom the owner can remove, and who can leave. */
export function CollaboratorRow({ record, now, params, done }: Omit<RowProps<Collaborator>, "mixed">) {
  const { username, created_at } = record;
  const me = useUser()?.username;
  const [tree] = (params.path ?? "").split("/");
  const end = (path: string) => client.request(`${namespacePath(params)}/-/${path}`, { method: "DELETE" });
  return (
    <>
      <div class="what">
        <span>{username}</span>
        <div class="quiet">
          <span>collaborator</span>
          <span>
            joined <Ago time={created_at} now={now} />
          </span>
        </div>
      </div>
      {me === username && (
        <Remove
          what={`the namespace ${tree}`}
          action="Leave"
          work={() => end("membership")}
          onDone={() => goAndSay(`${base}/namespaces`, `You have left the namespace ${tree}.`)}
        />
      )}
      {me === params.user && (
        <Remove
          what={`the collaborator ${username}`}
          action="Remove"
          work={() => end(`collaborators/${encodeURIComponent(username)}`)}
          onDone={() => done(`Removed ${username}, who can no longer work here.`)}
        />
      )}
    </>
  );
}

/** The collaborators of a namespace's tree. */
export const CollaboratorsPage = listPage<Collaborator>({
  section: "collaborators",
  title: "People",
  about:
    "Collaborators have access to the namespace's whole tree. They can change everything except people and namespaces.",
  empty: <p>Nobody else works here yet.</p>,
  add: { title: "Invite a user", Form: Invite },
  searchable: false,
  Row: CollaboratorRow,
});

function Invite(props: AddProps) {
  const isOwner = useUser()?.username === props.params.user;
  return isOwner ? <InviteForm {...props} /> : <p>{`Only the owner, ${props.params.user}, can invite users.`}</p>;
}

interface PeopleProps {
  readonly params: Params;
  /** The first collaborators; undefined if the reader may not see them. */
  readonly collaborators: readonly Collaborator[] | undefined;
  readonly now: number;
  readonly done: (text: string) => void;
}

/** The owner and the collaborators of a namespace. */
export function People({ params, collaborators, now, done }: PeopleProps) {
  const isOwner = useUser()?.username === params.user;
  return (
    <section aria-label="People">
      <h2>People</h2>
      <ul class="rows">
        <li class="row">
          <div class="what">
            <span>{params.user}</span>
            <div class="quiet">owner</div>
          </div>
        </li>
        {collaborators?.map((record) => (
          <li class="row" key={record.id}>
            <CollaboratorRow record={record} params={params} now={now} done={done} />
          </li>
        ))}
      </ul>
      {isOwner && (
        <details class="add">
          <summary>Invite a user</summary>
          <InviteForm params={params} done={done} />
        </details>
      )}
    </section>
  );
}
