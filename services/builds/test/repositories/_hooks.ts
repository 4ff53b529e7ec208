import { randomUUID } from "node:crypto";
import type { CreateRepositoryRequest, HookDelivery, Repository } from "@ci/proto/builds/v1/repositories";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { type GitRepository, type GitServer, type GitServerOptions, gitServer } from "@ci/testkit/git-server";
import type { Config } from "../../src/config.js";
import {
  type DeliveryOptions,
  fromGitea,
  fromGithub,
  fromGitlab,
  gitea,
  github,
  gitlab,
  type SignedRequest,
} from "../_hook-payloads.js";
import { bootBuilds } from "../_suite.js";

export const secret = "a secret of the hook";

export const manifest = `
namespace: elsewhere
driver: {type: os}
stages: [make]
jobs:
- {stage: make, commands: [echo made]}
`;

/** Signed deliveries of each provider, by kind. */
export const deliveries = {
  push: {
    github: (options: DeliveryOptions, id: string) => fromGithub("push", github.push(options), secret, id),
    gitlab: (options: DeliveryOptions, id: string) => fromGitlab("Push Hook", gitlab.push(options), secret, id),
    gitea: (options: DeliveryOptions, id: string) => fromGitea("push", gitea.push(options), secret, id),
  },
  pull: {
    github: (options: DeliveryOptions, id: string) => fromGithub("pull_request", github.pull(options), secret, id),
    gitlab: (options: DeliveryOptions, id: string) =>
      fromGitlab("Merge Request Hook", gitlab.merge(options), secret, id),
    gitea: (options: DeliveryOptions, id: string) => fromGitea("pull_request", gitea.pull(options), secret, id),
  },
};
export type ProviderName = keyof typeof deliveries.push;
export const providerNames = ["github", "gitlab", "gitea"] as const;

/** A repository on a git server, with the record that makes its pushes start builds in a namespace of ann's. */
export interface Hooked {
  readonly namespace: Namespace;
  readonly record: Repository;
  readonly git: GitRepository;
  /** Sends a delivery as the provider does. */
  send(delivery: SignedRequest): Promise<{ userId: number; number: number }[]>;
  push(options: DeliveryOptions, id?: string): Promise<{ userId: number; number: number }[]>;
  pull(options: DeliveryOptions, id?: string): Promise<{ userId: number; number: number }[]>;
}

/** Boots the service and a git server. `hooked` adds a repository. */
export function bootHooks(overrides: Partial<Config> = {}, gitOptions: GitServerOptions = {}) {
  const suite = bootBuilds(overrides);
  const hooks = { ...suite, server: undefined as never as GitServer };
  let count = 0;
  beforeAll(async () => {
    hooks.server = await gitServer(gitOptions);
  });
  afterAll(() => hooks.server[Symbol.asyncDispose]());
  return {
    suite,
    server: () => hooks.server,
    async hooked(
      provider: ProviderName = "github",
      accessToken?: string,
      user = suite.users.ann,
      settings: Pick<CreateRepositoryRequest, "forks" | "cancelSuperseded"> = {},
    ): Promise<Hooked> {
      const name = `octo/hello${++count}`;
      const git = await hooks.server.repository(`${name}.git`);
      const namespace = await suite.accounts.aNamespace(suite.users.ann, `ns${count}`);
      const request = { namespaceId: namespace.id, provider, url: git.url, secret, accessToken, ...settings };
      const record = (await suite.as(user, () => suite.repositories.createRepository(request))).repository!;
      const send = async ({ headers, body }: SignedRequest) => [
        ...(await suite.repositories.receiveHook({ provider, id: record.id, headers, body })).builds,
      ];
      return {
        namespace,
        record,
        git,
        send,
        push: (options, id = randomUUID()) => send(deliveries.push[provider](options, id)),
        pull: (options, id = randomUUID()) => send(deliveries.pull[provider](options, id)),
      };
    },
    /** Returns the deliveries of a repository, newest first. */
    async deliveriesOf({ namespace, record }: Hooked): Promise<readonly HookDelivery[]> {
      const request = { namespaceId: namespace.id, repositoryId: record.id, page: { number: 1 } };
      return (await suite.as(suite.users.ann, () => suite.repositories.listHookDeliveries(request))).deliveries;
    },
    /** Redelivers a delivery, and returns the only build that this makes. */
    async redeliver({ namespace, record }: Hooked, id: number) {
      const which = { namespaceId: namespace.id, repositoryId: record.id, id };
      const { delivery } = await suite.as(suite.users.ann, () => suite.repositories.redeliverHook(which));
      expect(delivery!.builds).toHaveLength(1);
      return delivery!.builds[0]!;
    },
    /** Returns a build as its owner sees it. */
    async build(ref: { userId: number; number: number }) {
      const owner = Object.values(suite.users).find(({ id }) => id === ref.userId)!;
      return (await suite.as(owner, () => suite.builds.getBuild({ ref, brief: false }))).build!;
    },
  };
}
