import type { components } from "@service-ci/client";
import { useState } from "preact/hooks";
import { base, client, pagesIn } from "../../api.js";
import { useData, useNow } from "../../data.js";
import { Ago, Empty, Failed, Live, Loading, Paging } from "../../parts.js";
import type { Params } from "../../routes.js";
import { Connect, Connected, type NewRepository } from "./connect.js";
import { NamespaceFrame, namespacePath } from "./frame.js";
import { Hook, nameOf } from "./hook-by-hand.js";

type Repository = components["schemas"]["Repository"];

async function load({ user = "", path = "" }: Params, page: number) {
  const { data = [], response } = await client.api.GET("/n/{username}/{path}/-/repositories", {
    params: { path: { username: user, path }, query: { page } },
  });
  return { repositories: data, pages: pagesIn(response) };
}

/** The repositories whose pushes submit builds to a namespace. */
export function RepositoriesPage({ params }: { params: Params }) {
  const page = Number(new URLSearchParams(location.search).get("page") ?? 1);
  const { data, error, liveness, reload } = useData(`repositories ${page}`, () => load(params, page), {
    everyMs: () => 10_000,
  });
  const [made, setMade] = useState<NewRepository>();
  const now = useNow(false);
  if (error && !data) return <Failed error={error} />;
  return (
    <NamespaceFrame params={params} section="repositories">
      {made && <Connected key={made.repository.id} made={made} params={params} />}
      <Live liveness={liveness} />
      {!data && <Loading />}
      {data?.repositories.length === 0 && (
        <Empty>
          <p>
            No repository is connected yet. Connect one below: its first build starts at once, and every push starts
            another.
          </p>
        </Empty>
      )}
      {data && data.repositories.length > 0 && (
        <ul class="rows">
          {data.repositories.map((repository) => (
            <Row key={repository.id} repository={repository} params={params} now={now} />
          ))}
        </ul>
      )}
      {data && <Paging pages={data.pages} />}
      <section aria-labelledby="connect">
        <h2 id="connect">Connect a repository</h2>
        <Connect
          params={params}
          onDone={(repository) => {
            setMade(repository);
            reload();
          }}
        />
      </section>
    </NamespaceFrame>
  );
}

const Row = ({ repository, params, now }: { repository: Repository; params: Params; now: number }) => (
  <li class="row">
    <div class="what">
      <a href={`${base}${namespacePath(params)}/-/repositories/${repository.id}`}>{nameOf(repository.url)}</a>
      <div class="quiet">
        <span>{repository.url}</span>
        <span>{`builds belong to ${repository.user.username}`}</span>
      </div>
    </div>
    <div class="when quiet">
      <Hook repository={repository} now={now} what="webhook" />
      <Ago time={repository.created_at} now={now} />
    </div>
  </li>
);
