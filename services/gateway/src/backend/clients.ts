import { type ClientMaker, connect } from "@ci/kit/rpc/connect";
import type { Identity } from "@ci/kit/rpc/identity";
import { type CronServiceClient, CronServiceDefinition } from "@ci/proto/builds/v1/crons";
import { type OperatorServiceClient, OperatorServiceDefinition } from "@ci/proto/builds/v1/operators";
import { type RepositoryServiceClient, RepositoryServiceDefinition } from "@ci/proto/builds/v1/repositories";
import { type EncodedBuildServiceClient, EncodedBuildServiceDefinition } from "@ci/proto/encoded-builds";
import { type ImageServiceClient, ImageServiceDefinition } from "@ci/proto/images/v1/images";
import { type AccountServiceClient, AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
import { type AuditServiceClient, AuditServiceDefinition } from "@ci/proto/namespaces/v1/audit";
import { type NamespaceServiceClient, NamespaceServiceDefinition } from "@ci/proto/namespaces/v1/namespaces";
import {
  type BuildInputServiceClient,
  BuildInputServiceDefinition,
  type KeyServiceClient,
  KeyServiceDefinition,
  type ObjectServiceClient,
  ObjectServiceDefinition,
  type VariableServiceClient,
  VariableServiceDefinition,
} from "@ci/proto/namespaces/v1/resources";
import { type WebhookServiceClient, WebhookServiceDefinition } from "@ci/proto/webhooks/v1/webhooks";
import type { Config } from "../config.js";

export interface Clients {
  readonly accounts: AccountServiceClient;
  readonly namespaces: NamespaceServiceClient;
  readonly auditLog: AuditServiceClient;
  readonly objects: ObjectServiceClient;
  readonly variables: VariableServiceClient;
  readonly keys: KeyServiceClient;
  readonly inputs: BuildInputServiceClient;
  readonly builds: EncodedBuildServiceClient;
  readonly crons: CronServiceClient;
  readonly repositories: RepositoryServiceClient;
  readonly operators: OperatorServiceClient;
  readonly images: ImageServiceClient;
  readonly webhooks: WebhookServiceClient;
}

type Peers = Record<"namespaces" | "builds" | "images" | "webhooks", ClientMaker>;

const clientsOf = ({ namespaces, builds, images, webhooks }: Peers): Clients => ({
  accounts: namespaces.client(AccountServiceDefinition),
  namespaces: namespaces.client(NamespaceServiceDefinition),
  auditLog: namespaces.client(AuditServiceDefinition),
  objects: namespaces.client(ObjectServiceDefinition),
  variables: namespaces.client(VariableServiceDefinition),
  keys: namespaces.client(KeyServiceDefinition),
  inputs: namespaces.client(BuildInputServiceDefinition),
  builds: builds.client(EncodedBuildServiceDefinition),
  crons: builds.client(CronServiceDefinition),
  repositories: builds.client(RepositoryServiceDefinition),
  operators: builds.client(OperatorServiceDefinition),
  images: images.client(ImageServiceDefinition),
  webhooks: webhooks.client(WebhookServiceDefinition),
});

interface Backend extends AsyncDisposable {
  readonly clients: Clients;
  /** Their calls change nothing: services only validate them. */
  readonly validating: Clients;
}

/** Returns clients of every service. They connect on first use and reconnect when a connection is lost. */
export function connectBackend(
  { namespacesAddr, buildsAddr, imagesAddr, webhooksAddr }: Config,
  identity: Identity,
): Backend {
  const namespaces = connect(namespacesAddr, identity);
  const builds = connect(buildsAddr, identity);
  const images = connect(imagesAddr, identity);
  const webhooks = connect(webhooksAddr, identity);
  return {
    clients: clientsOf({ namespaces, builds, images, webhooks }),
    validating: clientsOf({
      namespaces: namespaces.validating,
      builds: builds.validating,
      images: images.validating,
      webhooks: webhooks.validating,
    }),
    async [Symbol.asyncDispose]() {
      await Promise.all([namespaces, builds, images, webhooks].map((peer) => peer[Symbol.asyncDispose]()));
    },
  };
}
