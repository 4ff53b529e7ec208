import { type components, record } from "@service-ci/client";
import { useState } from "preact/hooks";
import { base, client, pagesIn } from "../../api.js";
import { newSecret } from "../../copy.js";
import { useData, useNow } from "../../data.js";
import { Check, Choice, Field, Form, Remove, textOf } from "../../form.js";
import { go } from "../../location.js";
import { Ago, Complaint, Failed, Live, Loading } from "../../parts.js";
import type { Params } from "../../routes.js";
import { useSaying } from "../../said.js";
import { useWork } from "../../work.js";
import { BuildsAt } from "./builds-at.js";
import { NamespaceFrame, namespacePath } from "./frame.js";
import { ByHand, Hook, nameOf, providerNames } from "./hook-by-hand.js";
import { NewSecret } from "./new-secret.js";
import { HookDeliveryList } from "./repository-deliveries.js";
import { RunBuild } from "./run-build.js";

type Repository = components["schemas"]["Repository"];

const pathOf = ({ user = "", path = "", id = "" }: Params) => ({ username: user, path, id: Number(id) });
const maxBuilds = 5;

async function load(params: Params) {
  const path = pathOf(params);
  const [repository, deliveries] = await Promise.all([
    record(client.api.GET("/n/{username}/{path}/-/repositories/{id}", { params: { path } })),
    client.api.GET("/n/{username}/{path}/-/repositories/{id}/deliveries", { params: { path, query: { page: 1 } } }),
  ]);
  const { data: newest = [], response } = deliveries;
  return { repository, deliveries: newest, pages: pagesIn(response) };
}

const forks = {
  approve: "wait until a member approves them",
  run: "run",
  ignore: "are not submitted",
} satisfies Record<Repository["forks"], string>;

const renewedText = (isSet: boolean, provider: string): string =>
  isSet
    ? `The webhook has a new secret. It was also set at ${provider}.`
    : `The webhook has a new secret. Pushes start no builds until you set it at ${provider}. It is not shown again.`;

/** A repository with its settings, newest builds and deliveries. */
export function RepositoryPage({ params }: { params: Params }) {
  const { data, error, liveness, reload } = useData("repository", () => load(params), {
    everyMs: ({ deliveries }) => (deliveries.some(({ status }) => status === "pending") ? 1_000 : 3_000),
  });
  const [said, setSaid] = useSaying();
  const [secret, setSecret] = useState<string>();
  const work = useWork(reload);
  const now = useNow(true);
  if (error && !data) return <Failed error={error} />;
  if (!data)
    return (
      <NamespaceFrame params={params} section="repositories" title={`Repository ${params.id}`}>
        <Loading />
      </NamespaceFrame>
    );
  const { repository, deliveries, pages } = data;
  const at = { params: { path: pathOf(params) } };
  const change = async (body: object) => {
    const call = client.api.PATCH("/n/{username}/{path}/-/repositories/{id}", { ...at, body });
    const { hook } = await record(call);
    return hook;
  };
  const renew = async () => {
    const next = newSecret();
    const isSet = (await change({ secret: next })) === "registered";
    setSecret(isSet ? undefined : next);
    setSaid(renewedText(isSet, providerNames[repository.provider]));
  };
  const list = `${base}${namespacePath(params)}/-/repositories`;
  const builds = deliveries.flatMap((delivery) => delivery.builds).slice(0, maxBuilds);
  return (
    <NamespaceFrame
      params={params}
      section="repositories"
      title={nameOf(repository.url)}
      actions={
        <>
          <NewSecret repository={repository} work={work} renew={renew} onDone={reload} />
          <Remove
            what="this repository"
            action="Disconnect"
            work={() => client.api.DELETE("/n/{username}/{path}/-/repositories/{id}", at)}
            onDone={() => go(list)}
          />
        </>
      }
    >
      {work.failure !== undefined && <Complaint error={work.failure} />}
      <div class={said ? "done" : undefined} role="status">
        {said && <p>{said}</p>}
      </div>
      {repository.hook === "by_hand" && <Steps key={secret} repository={repository} secret={secret} now={now} />}
      <Facts repository={repository} now={now} />
      <RunBuild params={params} />
      <Change
        repository={repository}
        submit={async (body) => {
          await change(body);
          setSaid("Changed the repository.");
        }}
        onDone={reload}
      />
      <Live liveness={liveness} />
      {builds.length > 0 && (
        <section aria-label="Newest builds">
          <h2>Newest builds</h2>
          <BuildsAt urls={builds} />
        </section>
      )}
      <Deliveries
        newest={deliveries}
        now={now}
        more={pages.next === undefined ? undefined : `${list}/${repository.id}/deliveries`}
      />
    </NamespaceFrame>
  );
}

interface StepsProps {
  readonly repository: Repository;
  readonly secret: string | undefined;
  readonly now: number;
}

const Steps = ({ repository, secret, now }: StepsProps) => (
  <section class="done open" aria-label="Webhook at the provider">
    {repository.last_event_at && (
      <p>
        The last event arrived <Ago time={repository.last_event_at} now={now} />.
      </p>
    )}
    <ByHand repository={repository} secret={secret} arrives={Boolean(repository.last_event_at)} />
  </section>
);

interface DeliveriesProps {
  readonly newest: Awaited<ReturnType<typeof load>>["deliveries"];
  readonly now: number;
  /** The page of all deliveries; undefined if these are all. */
  readonly more: string | undefined;
}

const Deliveries = ({ newest, now, more }: DeliveriesProps) => (
  <section aria-label="Deliveries">
    <h2>Deliveries</h2>
    <HookDeliveryList deliveries={newest} now={now} />
    {more !== undefined && (
      <p>
        <a href={more}>All deliveries</a>
      </p>
    )}
  </section>
);

interface FactsProps {
  readonly repository: Repository;
  readonly now: number;
}

const Facts = ({ repository, now }: FactsProps) => (
  <dl class="facts">
    <div>
      <dt>Address</dt>
      <dd>{`${repository.url} (${providerNames[repository.provider]})`}</dd>
    </div>
    <div>
      <dt>Webhook</dt>
      <dd>
        <Hook repository={repository} now={now} />{" "}
        {repository.hook === "registered" && <code>{repository.hook_url}</code>}
      </dd>
    </div>
    <div>
      <dt>Commit statuses</dt>
      <dd>{repository.has_access_token ? "reported with the stored access token" : "not reported: no access token"}</dd>
    </div>
    <div>
      <dt>Builds of forks</dt>
      <dd>{forks[repository.forks]}</dd>
    </div>
    <div>
      <dt>Newer pushes</dt>
      <dd>
        {repository.cancel_superseded ? "kill the builds of older ones" : "do not affect the builds of older ones"}
      </dd>
    </div>
    <div>
      <dt>Connected</dt>
      <dd>
        <Ago time={repository.created_at} now={now} />
        {`; builds belong to ${repository.user.username}`}
      </dd>
    </div>
  </dl>
);

interface SettingsProps {
  readonly repository: Repository;
  readonly submit: (body: object) => Promise<void>;
  readonly onDone: () => void;
}

function Change({ repository, submit, onDone }: SettingsProps) {
  const [saves, setSaves] = useState(0);
  const saved = () => {
    setSaves(saves + 1);
    onDone();
  };
  return (
    <details>
      <summary>Change</summary>
      <Settings key={saves} repository={repository} submit={submit} onDone={saved} />
    </details>
  );
}

function Settings({ repository, submit, onDone }: SettingsProps) {
  const { forks: chosen, cancel_superseded, has_access_token } = repository;
  const save = (fields: FormData) => {
    const access_token = textOf(fields, "access_token");
    return submit({
      forks: textOf(fields, "forks"),
      cancel_superseded: fields.has("cancel_superseded"),
      ...(access_token === "" ? {} : { access_token }),
      ...(fields.has("remove_access_token") ? { remove_access_token: true } : {}),
    });
  };
  return (
    <Form
      key={JSON.stringify([chosen, cancel_superseded, has_access_token])}
      action="Save"
      submit={save}
      onDone={onDone}
    >
      <Field
        name="access_token"
        label="New access token"
        type="password"
        hint="Leave empty to keep the stored token."
      />
      <Choice name="forks" label="Builds of forks" options={forks} value={chosen} />
      <Check name="cancel_superseded" label="Newer pushes kill builds of older ones" checked={cancel_superseded} />
      {has_access_token && <Check name="remove_access_token" label="Delete the stored access token" />}
    </Form>
  );
}
