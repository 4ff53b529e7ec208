import type { ComponentChildren } from "preact";
import { base, type Pages, pageOf } from "../../api.js";
import { useData, useNow } from "../../data.js";
import { Ago, Failed, Live, Loading, Paging, Status } from "../../parts.js";
import type { Params } from "../../routes.js";
import { NamespaceFrame, namespacePath } from "./frame.js";

/** The path of a webhook or a repository, as the client takes it. */
export const pathOf = ({ user = "", path = "", id = "" }: Params) => ({ username: user, path, id: Number(id) });

interface RowProps {
  readonly delivery: {
    readonly id: number;
    readonly url: string | null;
    readonly status: string;
    readonly created_at: string;
  };
  readonly name: string;
  readonly now: number;
  readonly children: ComponentChildren;
}

/** A delivery as a row of a list. The children are its details. */
export const DeliveryRow = ({ delivery: { id, url, status, created_at }, name, now, children }: RowProps) => (
  <li class="row">
    <Status status={status} />
    <div class="what">
      <a href={pageOf(url ?? "")}>
        {name} <span class="quiet">{`#${id}`}</span>
      </a>
      <div class="quiet">{children}</div>
    </div>
    <div class="when quiet">
      <Ago time={created_at} now={now} />
    </div>
  </li>
);

const kinds = {
  webhooks: { kind: "webhook", title: "Webhook" },
  repositories: { kind: "repository", title: "Repository" },
} as const;

interface OwnerProps {
  readonly params: Params;
  readonly section: keyof typeof kinds;
}

/** A link to the webhook or the repository of a delivery. */
export const OwnerLink = ({ params, section }: OwnerProps) => (
  <p>
    <a href={`${base}${namespacePath(params)}/-/${section}/${params.id}`}>{`${kinds[section].title} ${params.id}`}</a>
  </p>
);

interface ListProps<T> extends OwnerProps {
  readonly load: (page: number) => Promise<{ readonly deliveries: readonly T[]; readonly pages: Pages }>;
  readonly everyMs: (loaded: { readonly deliveries: readonly T[] }) => number;
  readonly list: (deliveries: readonly T[], now: number) => ComponentChildren;
  readonly filters?: ComponentChildren;
}

/** All deliveries of a webhook or a repository. */
export function DeliveriesPage<T>({ params, section, load, everyMs, list, filters }: ListProps<T>) {
  const page = Number(new URLSearchParams(location.search).get("page") ?? 1);
  const { data, error, liveness } = useData(`deliveries ${location.search}`, () => load(page), { everyMs });
  const now = useNow(true);
  if (error && !data) return <Failed error={error} />;
  return (
    <NamespaceFrame params={params} section={section} title={`Deliveries of ${kinds[section].kind} ${params.id}`}>
      <OwnerLink params={params} section={section} />
      {filters}
      <Live liveness={liveness} />
      {data ? list(data.deliveries, now) : <Loading />}
      {data && <Paging pages={data.pages} />}
    </NamespaceFrame>
  );
}
