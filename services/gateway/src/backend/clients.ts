import type { Identity } from "@ci/kit/rpc/identity";
import { connect, type Peer } from "@ci/kit/rpc/rpc";
import { type BuildServiceClient, BuildServiceDefinition } from "@ci/proto/builds/v1/builds";
import { type CronServiceClient, CronServiceDefinition } from "@ci/proto/builds/v1/crons";
import { type RepositoryServiceClient, RepositoryServiceDefinition } from "@ci/proto/builds/v1/repositories";
import { type ImageServiceClient, ImageServiceDefinition } from "@ci/proto/images/v1/images";
import { type AccountServiceClient, AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
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
  readonly objects: ObjectServiceClient;
  readonly variables: VariableServiceClient;
  readonly keys: KeyServiceClient;
  readonly inputs: BuildInputServiceClient;
  readonly builds: BuildServiceClient;
  readonly crons: CronServiceClient;
  readonly repositories: RepositoryServiceClient;
  readonly images: ImageServiceClient;
  readonly webhooks: WebhookServiceClient;
}

/** Returns clients of every service. They connect on first use and reconnect when a connection is lost. */
export function connectClients(config: Config, identity: Identity): Clients & AsyncDisposable {
  const peers: Peer[] = [];
  const to = (address: string): Peer => {
    const peer = connect(address, identity);
    peers.push(peer);
    return peer;
  };
  const namespaces = to(config.namespacesAddr);
  const builds = to(config.buildsAddr);
  return {
    accounts: namespaces.client(AccountServiceDefinition),
    namespaces: namespaces.client(NamespaceServiceDefinition),
    objects: namespaces.client(ObjectServiceDefinition),
    variables: namespaces.client(VariableServiceDefinition),
    keys: namespaces.client(KeyServiceDefinition),
    inputs: namespaces.client(BuildInputServiceDefinition),
    builds: builds.client(BuildServiceDefinition),
    crons: builds.client(CronServiceDefinition),
    repositories: builds.client(RepositoryServiceDefinition),
    images: to(config.imagesAddr).client(ImageServiceDefinition),
    webhooks: to(config.webhooksAddr).client(WebhookServiceDefinition),
    async [Symbol.asyncDispose]() {
      await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()));
    },
  };
}
