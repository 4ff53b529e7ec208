import { client, type Namespace, pageOf, pagesIn } from "../api.js";
import { useData, useNow } from "../data.js";
import { Ago, Empty, Failed, Loading, Page, Paging, Status } from "../parts.js";

async function load(query: URLSearchParams) {
  const response = await client.request(`/namespaces?${query}`);
  return { namespaces: (await response.json()) as Namespace[], pages: pagesIn(response) };
}

/** A namespace as a row of a list, with its newest build. */
const Row = ({
  namespace: { url, path, user, description, visibility, build },
  now,
}: {
  namespace: Namespace;
  now: number;
}) => (
  <li class="row">
    <div class="what">
      <a href={pageOf(url)}>{path}</a>
      <div class="quiet">
        <span>{user.username}</span>
        <span>{visibility}</span>
        {description && <span>{description}</span>}
      </div>
    </div>
    <div class="when">
      {build && (
        <>
          <Status status={build.status} />
          <span class="quiet">
            <Ago time={build.created_at} now={now} />
          </span>
        </>
      )}
    </div>
  </li>
);

/** Namespaces by path. */
export function NamespacesPage() {
  const query = new URLSearchParams(location.search);
  const { data, error } = useData(`namespaces?${query}`, () => load(query));
  const now = useNow(false);
  if (error && !data) return <Failed error={error} />;
  return (
    <Page title="Namespaces">
      {!data && <Loading />}
      {data && data.namespaces.length > 0 && (
        <ul class="rows">
          {data.namespaces.map((namespace) => (
            <Row key={namespace.id} namespace={namespace} now={now} />
          ))}
        </ul>
      )}
      {data?.namespaces.length === 0 && (
        <Empty>
          <p>You are in no namespace yet.</p>
          <p>
            A manifest with <code>namespace: name</code> creates one when it is submitted.
          </p>
        </Empty>
      )}
      {data && <Paging pages={data.pages} />}
    </Page>
  );
}
