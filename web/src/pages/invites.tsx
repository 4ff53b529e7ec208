import { type components, record } from "@service-ci/client";
import { base, client, pageOf } from "../api.js";
import { Remove } from "../form.js";
import { listPage, type RowProps } from "../list-page.js";
import { Ago, Complaint } from "../parts.js";
import { goAndSay } from "../said.js";
import { useWork } from "../work.js";
import { InviteForm } from "./namespace/people.js";

type Invite = components["schemas"]["Invite"];

const at = (id: number) => ({ params: { path: { id } } });
const remove = ({ id }: Invite) => client.api.DELETE("/invites/{id}", at(id));

/** An invite to the user, who may accept or reject it. */
function Received({ record: invite, now, done }: RowProps<Invite>) {
  const { id, namespace, inviter, created_at } = invite;
  const { busy, failure, start } = useWork(() => {});
  const to = namespace ? `${namespace.user.username}/${namespace.path}` : "a namespace that is gone";
  const accept = async () => {
    const { namespace: joined } = await record(client.api.PATCH("/invites/{id}", at(id)));
    const said = `You are now a collaborator of ${to}.`;
    if (joined) goAndSay(pageOf(joined.url) ?? base, said);
    else done(said);
  };
  return (
    <>
      <div class="what">
        <span>{to}</span>
        <div class="quiet">
          <span>{`from ${inviter.username}`}</span>
          <Ago time={created_at} now={now} />
        </div>
        {failure !== undefined && <Complaint error={failure} />}
      </div>
      <button
        type="button"
        class="primary"
        aria-disabled={busy}
        aria-label={`Accept the invite to ${to}`}
        onClick={() => busy || start(accept)}
      >
        Accept
      </button>
      <Remove
        what={`the invite to ${to}`}
        action="Reject"
        work={() => remove(invite)}
        onDone={() => done(`Rejected the invite to ${to}.`)}
      />
    </>
  );
}

/** The open invites to the user. */
export const InvitesPage = listPage<Invite>({
  section: "invites",
  title: "Invites",
  about: "Accept an invite to collaborate on the namespace and its whole tree.",
  empty: <p>Nobody has invited you. To join a namespace, ask its owner for an invite to your username.</p>,
  searchable: false,
  Row: Received,
});

const Sent = ({ record: invite, now, done }: RowProps<Invite>) => (
  <>
    <div class="what">
      <span>{invite.invitee.username}</span>
      <div class="quiet">
        <span>{`invited by ${invite.inviter.username}`}</span>
        <Ago time={invite.created_at} now={now} />
      </div>
    </div>
    <Remove
      what={`the invite of ${invite.invitee.username}`}
      action="Withdraw"
      work={() => remove(invite)}
      onDone={() => done(`Withdrew the invite of ${invite.invitee.username}.`)}
    />
  </>
);

/** The open invites to a namespace's tree. */
export const NamespaceInvitesPage = listPage<Invite>({
  section: "invites",
  title: "Invites",
  about: "Invites that are neither accepted nor rejected yet. An invite is for the namespace's whole tree.",
  empty: <p>There are no open invites. Invite a user with the form above.</p>,
  add: { title: "Invite a user", Form: InviteForm },
  searchable: false,
  Row: Sent,
});
