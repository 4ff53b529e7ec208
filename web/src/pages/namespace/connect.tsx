import { type components, record } from "@service-ci/client";
import { useEffect, useRef } from "preact/hooks";
import { base, client, pageOf } from "../../api.js";
import { newSecret } from "../../copy.js";
import { Choice, Field, Form, textOf } from "../../form.js";
import type { Params } from "../../routes.js";
import { BuildsAt } from "./builds-at.js";
import { namespacePath } from "./frame.js";
import { ByHand, nameOf, providerNames } from "./hook-by-hand.js";

type ConnectedRepository = components["schemas"]["ConnectedRepository"];

export interface NewRepository {
  readonly repository: ConnectedRepository;
  /** The secret that the provider signs its events with. The server never shows it. */
  readonly secret: string;
}

const providers = { "": "Detect from the address", ...providerNames };

/** Connects a repository: an address, a token, and one button to the first build. */
export function Connect({ params, onDone }: { params: Params; onDone: (made: NewRepository) => void }) {
  const { user = "", path = "" } = params;
  const connect = async (fields: FormData) => {
    const secret = newSecret();
    const provider = textOf(fields, "provider");
    const access_token = textOf(fields, "access_token");
    const body = {
      url: textOf(fields, "url"),
      secret,
      build: true,
      ...(provider === "" ? {} : { provider }),
      ...(access_token === "" ? {} : { access_token }),
    };
    const at = { params: { path: { username: user, path } } };
    onDone({
      repository: await record(client.api.POST("/n/{username}/{path}/-/repositories", { ...at, body })),
      secret,
    });
  };
  return (
    <Form action="Connect" submit={connect}>
      <Field
        name="url"
        label="Address of the repository"
        type="url"
        required
        placeholder="https://git.example.com/team/app.git"
        hint="The HTTP address for git clone."
      />
      <Field
        name="access_token"
        label="Access token"
        type="password"
        hint="Optional for public repositories. Registers the webhook and reports statuses. GitHub: permission to manage webhooks and commit statuses. GitLab: scope api. Gitea: repository, read and write."
      />
      <Choice name="provider" label="Hosted by" options={providers} />
    </Form>
  );
}

/** Shows the state of a new connection, and the remaining steps. */
export function Connected({ made: { repository, secret }, params }: { made: NewRepository; params: Params }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { hook, delivery, provider, url, id } = repository;
  const isDone = hook === "registered" && (delivery?.builds.length ?? 0) > 0;
  return (
    <section class={isDone ? "done" : "done open"} aria-labelledby="connected">
      <h2 id="connected" ref={heading} tabIndex={-1}>
        {`${nameOf(url)} is connected`}
      </h2>
      {hook === "registered" && (
        <p>{`The webhook is registered at ${providerNames[provider]}: each push starts a build.`}</p>
      )}
      {hook === "pending" && <p>{`The webhook is being registered at ${providerNames[provider]}.`}</p>}
      {hook === "by_hand" && <ByHand repository={repository} secret={secret} />}
      <First delivery={delivery} />
      <p>
        <a href={`${base}${namespacePath(params)}/-/repositories/${id}`}>Open the repository</a>
      </p>
    </section>
  );
}

function First({ delivery }: Pick<ConnectedRepository, "delivery">) {
  if (!delivery) return <p>The default branch has no commit yet. The first build starts when you push one.</p>;
  if (delivery.builds.length > 0)
    return (
      <>
        <p>{delivery.builds.length === 1 ? "The first build has started:" : "The first builds have started:"}</p>
        <BuildsAt urls={delivery.builds} />
      </>
    );
  return (
    <>
      <p>
        {delivery.status === "pending" ? "The first build is being prepared. " : "No build was submitted. "}
        <a href={pageOf(delivery.url ?? "")}>See the delivery</a>
      </p>
      <ul class="reasons">
        {delivery.reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      {delivery.reasons.includes("no manifest at this commit") && (
        <p>
          Add a manifest as <code>.service-ci.yml</code> and push it. You can{" "}
          <a href={`${base}/-/new-build`}>try it out</a> first.
        </p>
      )}
    </>
  );
}
