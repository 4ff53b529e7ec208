import { useState } from "preact/hooks";
import { client, pagesIn, type Session } from "../api.js";
import { useData, useNow } from "../data.js";
import { moment } from "../format.js";
import { Ago, Complaint, Empty, Failed, Loading, Page, Paging } from "../parts.js";

async function load(query: URLSearchParams) {
  const response = await client.request(`/user/sessions?${query}`);
  return { sessions: (await response.json()) as Session[], pages: pagesIn(response) };
}

/** The browsers where the user is signed in. */
export function SessionsPage() {
  const query = new URLSearchParams(location.search);
  const { data, error, reload } = useData(`sessions?${query}`, () => load(query));
  const [failure, setFailure] = useState<unknown>();
  const now = useNow(false);
  if (error && !data) return <Failed error={error} />;
  const end = (id: number) => {
    setFailure(undefined);
    client.api.DELETE("/user/sessions/{id}", { params: { path: { id } } }).then(reload, setFailure);
  };
  return (
    <Page title="Sessions">
      <p class="quiet">Where you are signed in. End a session that is not yours.</p>
      {failure !== undefined && <Complaint error={failure} />}
      {!data && <Loading />}
      <ul class="rows">
        {data?.sessions.map((session) => (
          <li class="row" key={session.id}>
            <div class="what">
              <span>{session.user_agent || "An unnamed browser"}</span>
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
              <span class="quiet">this one</span>
            ) : (
              <button type="button" onClick={() => end(session.id)}>
                End
              </button>
            )}
          </li>
        ))}
      </ul>
      {data?.sessions.length === 0 && (
        <Empty>
          <p>You have no session here: this request was made with a token.</p>
        </Empty>
      )}
      {data && <Paging pages={data.pages} />}
    </Page>
  );
}
