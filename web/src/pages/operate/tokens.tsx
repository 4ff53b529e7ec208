import { base, client, pagesIn } from "../../api.js";
import { useData, useNow } from "../../data.js";
import { FilterField, FilterForm } from "../../filter-form.js";
import { Remove } from "../../form.js";
import { Complaint, Empty, Failed, Loading, Paging } from "../../parts.js";
import { Said, useSaid } from "../../said.js";
import { type Token, TokenFacts } from "../../token-facts.js";
import { OperateFrame } from "./frame.js";

async function load(query: URLSearchParams) {
  const response = await client.request(`/users/-/tokens?${query}`);
  return { tokens: (await response.json()) as Token[], pages: pagesIn(response) };
}

/** The tokens of all users, which administrators may revoke. */
export function AllTokensPage() {
  const query = new URLSearchParams(location.search);
  const { data, error, reload } = useData(`all tokens?${query}`, () => load(query));
  const [said, say] = useSaid();
  const now = useNow(false);
  if (error && !data) return <Failed error={error} />;
  const done = (text: string) => {
    say(text);
    reload();
  };
  return (
    <OperateFrame title="Tokens">
      <FilterForm>
        <FilterField name="user" label="User" />
        <FilterField name="search" label="Name contains" type="search" />
      </FilterForm>
      <Said said={said} />
      {error !== undefined && <Complaint error={error} />}
      {!data && <Loading />}
      {data && data.tokens.length > 0 && (
        <ul class="rows">
          {data.tokens.map((token) => (
            <Row key={token.id} token={token} now={now} onDone={done} />
          ))}
        </ul>
      )}
      {data?.tokens.length === 0 && (
        <Empty>
          <p>No token matches.</p>
          <p>
            <a href={`${base}/users/-/tokens`}>Show all tokens</a>
          </p>
        </Empty>
      )}
      {data && <Paging pages={data.pages} />}
    </OperateFrame>
  );
}

function Row({ token, now, onDone }: { token: Token; now: number; onDone: (text: string) => void }) {
  const { id, name, user } = token;
  const it = `the token ${name} of ${user.username}`;
  return (
    <li class="row">
      <TokenFacts token={token} now={now}>
        <span>{user.username}</span>
        <a href={`${base}/audit?token=${id}`} aria-label={`audit log of ${it}`}>
          audit log
        </a>
      </TokenFacts>
      <Remove
        what={it}
        action="Revoke"
        work={() => client.api.DELETE("/tokens/{id}", { params: { path: { id } } })}
        onDone={() => onDone(`Revoked ${it}. It works no longer.`)}
      />
    </li>
  );
}
