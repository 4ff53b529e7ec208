import { type components, record } from "@service-ci/client";
import { type Build, base, client, type Namespace, pageOf } from "../api.js";
import { useData, useNow } from "../data.js";
import { BuildRow, Empty, Failed, Live, Loading, Page } from "../parts.js";
import type { Params } from "../routes.js";

type Schemas = components["schemas"];

interface Shown {
  readonly namespace: Namespace;
  readonly builds: readonly Build[];
  readonly collaborators: readonly Schemas["Collaborator"][];
  readonly variables: readonly Schemas["Variable"][];
}

async function load({ user: username = "", path = "" }: Params): Promise<Shown> {
  const namespace = await record(
    // The client would encode the slashes of the path, which the server understands too.
    client.api.GET("/n/{username}/{path}", { params: { path: { username, path } } }),
  );
  const list = async <T,>(url: string): Promise<T[]> => (await client.request(url)).json();
  const [builds, collaborators, variables] = await Promise.all([
    list<Build>(namespace.builds_url),
    list<Schemas["Collaborator"]>(namespace.collaborators_url),
    list<Schemas["Variable"]>(namespace.variables_url),
  ]);
  return { namespace, builds, collaborators, variables };
}

/** A namespace with its newest builds, its people and its variables. */
export function NamespacePage({ params }: { params: Params }) {
  const { user = "", path = "" } = params;
  const events = `/n/${encodeURIComponent(user)}/${path.split("/").map(encodeURIComponent).join("/")}/-/events`;
  const { data, error, live } = useData(`namespace ${user}/${path}`, () => load(params), { events });
  const now = useNow(true);
  if (error && !data) return <Failed error={error} />;
  if (!data)
    return (
      <Page title={path}>
        <Loading />
      </Page>
    );
  const { namespace, builds } = data;
  return (
    <Page title={path}>
      <p class="quiet facts-line">
        <span>{namespace.user.username}</span>
        <span>{namespace.visibility}</span>
        {namespace.parent && <a href={pageOf(namespace.parent.url)}>{`in ${namespace.parent.path}`}</a>}
      </p>
      {namespace.description && <p>{namespace.description}</p>}
      <Live live={live} />
      <section aria-label="Newest builds">
        <h2>Newest builds</h2>
        {builds.length === 0 && (
          <Empty>
            <p>No build has run here yet.</p>
            <p>
              <a href={`${base}/-/new-build`}>Submit one</a> whose manifest says <code>{`namespace: ${path}`}</code>.
            </p>
          </Empty>
        )}
        <ul class="rows">
          {builds.slice(0, 10).map((build) => (
            <BuildRow key={build.id} build={build} now={now} />
          ))}
        </ul>
        {builds.length > 10 && (
          <p>
            <a href={`${base}/builds?namespace=${encodeURIComponent(`${user}/${path}`)}`}>All builds</a>
          </p>
        )}
      </section>
      <People shown={data} />
      <Variables shown={data} />
      <More namespace={namespace} />
    </Page>
  );
}

const People = ({ shown: { namespace, collaborators } }: { shown: Shown }) => (
  <section aria-label="People">
    <h2>People</h2>
    <ul class="rows">
      <li class="row">
        <span class="what">{namespace.user.username}</span>
        <span class="quiet">owner</span>
      </li>
      {collaborators.map(({ id, username }) => (
        <li class="row" key={id}>
          <span class="what">{username}</span>
          <span class="quiet">collaborator</span>
        </li>
      ))}
    </ul>
  </section>
);

const Variables = ({ shown: { variables } }: { shown: Shown }) =>
  variables.length === 0 ? null : (
    <section aria-label="Variables">
      <h2>Variables</h2>
      <ul class="rows">
        {variables.map(({ id, url, key, value, masked }) => (
          <li class="row" key={id}>
            <a class="what" href={pageOf(url)}>
              <code>{key}</code>
            </a>
            {masked ? <span class="quiet">masked</span> : <code class="value">{value}</code>}
          </li>
        ))}
      </ul>
    </section>
  );

const More = ({ namespace }: { namespace: Namespace }) => {
  const lists = [
    ["Namespaces below", namespace.namespaces_url],
    ["Images", namespace.images_url],
    ["Objects", namespace.objects_url],
    ["SSH keys", namespace.keys_url],
    ["Webhooks", namespace.webhooks_url],
    ["Repositories", `${namespace.url}/-/repositories`],
    ["Invites", namespace.invites_url],
  ] as const;
  return (
    <nav class="links" aria-label="In this namespace">
      {lists.map(([text, url]) => (
        <a key={text} href={pageOf(url)}>
          {text}
        </a>
      ))}
    </nav>
  );
};
