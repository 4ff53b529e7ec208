import { ApiError, type components, record } from "@service-ci/client";
import { type Build, base, client, type Namespace, pageOf } from "../../api.js";
import { useData, useNow } from "../../data.js";
import { BuildRow, Empty, Failed, Live, Loading } from "../../parts.js";
import type { Params } from "../../routes.js";
import { Said, useSaid } from "../../said.js";
import { useUser } from "../../user.js";
import { Crons, loadCrons } from "./crons.js";
import { NamespaceFrame, nameInManifest, namespacePath } from "./frame.js";
import { type Collaborator, People } from "./people.js";
import { Delete, Settings } from "./settings.js";
import { disabledText } from "./webhooks.js";

type Schemas = components["schemas"];

interface Shown {
  readonly namespace: Namespace;
  readonly builds: readonly Build[];
  /** Undefined for readers who are no members. */
  readonly collaborators: readonly Collaborator[] | undefined;
  readonly variables: readonly Schemas["Variable"][];
  /** Undefined if the session may not read them. */
  readonly crons: Awaited<ReturnType<typeof loadCrons>> | undefined;
  /** Those among the newest webhooks that the service has turned off. */
  readonly turnedOff: readonly Schemas["Webhook"][];
}

const undefinedIf =
  (...statuses: readonly number[]) =>
  (error: unknown): undefined => {
    if (error instanceof ApiError && statuses.includes(error.status)) return undefined;
    throw error;
  };

async function load({ user: username = "", path = "" }: Params): Promise<Shown> {
  const namespace = await record(
    // The client would encode the slashes of the path, which the server understands too.
    client.api.GET("/n/{username}/{path}", { params: { path: { username, path } } }),
  );
  const list = async <T,>(url: string): Promise<T[]> => (await client.request(url)).json();
  const [builds, collaborators, variables, crons, webhooks = []] = await Promise.all([
    list<Build>(`${namespace.builds_url}?brief=true`),
    list<Collaborator>(namespace.collaborators_url).catch(undefinedIf(404)),
    list<Schemas["Variable"]>(namespace.variables_url),
    loadCrons(namespace.id).catch(undefinedIf(403)),
    list<Schemas["Webhook"]>(namespace.webhooks_url).catch(undefinedIf(403, 404)),
  ]);
  const turnedOff = webhooks.filter((webhook) => webhook.disabled_reason);
  return { namespace, builds, collaborators, variables, crons, turnedOff };
}

/** A namespace with its newest builds, its people, its variables and its cron jobs. */
export function NamespacePage({ params }: { params: Params }) {
  const { user = "", path = "" } = params;
  const events = `${namespacePath(params)}/-/events`;
  const [said, say] = useSaid();
  const me = useUser()?.username;
  const isOwner = me === user;
  const { data, error, liveness, reload } = useData(`namespace ${user}/${path}`, () => load(params), { events });
  const now = useNow(true);
  if (error && !data) return <Failed error={error} />;
  if (!data)
    return (
      <NamespaceFrame params={params} section="">
        <Loading />
      </NamespaceFrame>
    );
  const { namespace, builds, collaborators, crons } = data;
  const named = nameInManifest(namespace, me);
  const done = (text: string) => {
    say(text);
    reload();
  };
  return (
    <NamespaceFrame params={params} section="">
      <Said said={said} />
      <p class="quiet facts-line">
        <span>{namespace.user.username}</span>
        <span>{namespace.visibility}</span>
        {namespace.parent && <a href={pageOf(namespace.parent.url)}>{`in ${namespace.parent.path}`}</a>}
      </p>
      {namespace.description && <p>{namespace.description}</p>}
      <TurnedOff webhooks={data.turnedOff} />
      <Live liveness={liveness} />
      <section aria-label="Newest builds">
        <h2>Newest builds</h2>
        {builds.length === 0 && (
          <Empty>
            <p>No build has run here yet.</p>
            <p>
              <a href={`${base}/-/new-build`}>Submit one</a> whose manifest says <code>{`namespace: ${named}`}</code>.
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
      <Variables shown={data} />
      {collaborators && crons && <Crons crons={crons} named={named} now={now} />}
      <People params={params} collaborators={collaborators} now={now} done={done} />
      {isOwner && <Settings params={params} namespace={namespace} done={done} />}
      {isOwner && <Delete params={params} namespace={namespace} />}
    </NamespaceFrame>
  );
}

const TurnedOff = ({ webhooks }: { webhooks: Shown["turnedOff"] }) =>
  webhooks.map(({ id, url, payload_url, disabled_reason }) => (
    <p class="reason" key={id}>
      The webhook <a href={pageOf(url ?? "")}>{payload_url}</a> is {disabledText[disabled_reason ?? ""]}.
    </p>
  ));

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
