import { base, client, type Identity, pagesIn, provider, type Session } from "../api.js";
import { useData, useNow } from "../data.js";
import { moment } from "../format.js";
import { Ago, Complaint, Empty, Failed, Loading, Page, Paging } from "../parts.js";
import { ProviderProblem, signInAddress } from "../provider.js";
import { useWork } from "../work.js";

async function load(query: URLSearchParams) {
  const response = await client.request(`/user/sessions?${query}`);
  return { sessions: (await response.json()) as Session[], pages: pagesIn(response) };
}

/** The user's identities at the OpenID Connect provider. */
function Identities({ now }: { now: number }) {
  const load = async () => (await (await client.request("/user/identities")).json()) as Identity[];
  const { data, error, reload } = useData("identities", load);
  const { busy, failure, start } = useWork(reload);
  if (!provider && !data?.length) return null;
  const disconnect = (id: number) =>
    start(() => client.api.DELETE("/user/identities/{id}", { params: { path: { id } } }));
  return (
    <section aria-labelledby="identities">
      <h2 id="identities">Identities</h2>
      <p class="quiet">You can sign in with these identities. Disconnecting one ends its sessions.</p>
      {(failure ?? error) !== undefined && <Complaint error={failure ?? error} />}
      <ul class="rows">
        {data?.map((identity) => (
          <li class="row" key={identity.id}>
            <div class="what">
              <span>{identity.name || identity.subject}</span>
              <div class="quiet">
                <span>{identity.issuer}</span>
                {identity.last_used_at && (
                  <span>
                    used <Ago time={identity.last_used_at} now={now} />
                  </span>
                )}
              </div>
            </div>
            <button type="button" disabled={busy} onClick={() => disconnect(identity.id)}>
              Disconnect
            </button>
          </li>
        ))}
      </ul>
      {provider && (
        <p>
          <a class="button" rel="external" href={signInAddress({ intent: "connect", next: `${base}/user/sessions` })}>
            Connect {provider}
          </a>
        </p>
      )}
    </section>
  );
}

/** The browsers where the user is signed in. */
export function SessionsPage() {
  const query = new URLSearchParams(location.search);
  query.delete("problem");
  const { data, error, reload } = useData(`sessions?${query}`, () => load(query));
  const { busy, failure, start } = useWork(reload);
  const now = useNow(false);
  if (error && !data) return <Failed error={error} />;
  const end = (id: number) => start(() => client.api.DELETE("/user/sessions/{id}", { params: { path: { id } } }));
  return (
    <Page title="Sessions">
      <p class="quiet">Browsers where you are signed in. End sessions that you do not recognize.</p>
      <ProviderProblem />
      {failure !== undefined && <Complaint error={failure} />}
      {!data && <Loading />}
      <ul class="rows">
        {data?.sessions.map((session) => (
          <li class="row" key={session.id}>
            <div class="what">
              <span>{session.user_agent || "Unknown browser"}</span>
              <div class="quiet">
                <span>{session.address}</span>
                <span>
                  signed in <Ago time={session.created_at} now={now} />
                </span>
                {session.last_used_at && (
                  <span>
                    used <Ago time={session.last_used_at} now={now} />
                  </span>
                )}
                <span>{`expires ${moment(session.expires_at)}`}</span>
              </div>
            </div>
            {session.current ? (
              <span class="quiet">this browser</span>
            ) : (
              <button type="button" disabled={busy} onClick={() => end(session.id)}>
                End
              </button>
            )}
          </li>
        ))}
      </ul>
      {data?.sessions.length === 0 && (
        <Empty>
          <p>You have no sessions: this request was made with a token.</p>
        </Empty>
      )}
      {data && <Paging pages={data.pages} />}
      <Identities now={now} />
    </Page>
  );
}
