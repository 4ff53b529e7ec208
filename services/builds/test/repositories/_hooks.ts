import { randomUUID } from "node:crypto";
import type { Repository } from "@ci/proto/builds/v1/repositories";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { type GitRepository, type GitServer, type GitServerOptions, gitServer } from "@ci/testkit/git-server";
import type { Config } from "../../src/config.js";
import { type About, fromGitea, fromGithub, fromGitlab, gitea, github, gitlab, type Sent } from "../_hook-payloads.js";
import { bootBuilds } from "../_suite.js";

export const secret = "a secret of the hook";

export const manifest = `
namespace: elsewhere
driver: {type: os}
stages: [make]
jobs:
- {stage: make, commands: [echo made]}
`;

/** Deliveries of each provider, by what they tell. */
export const sent = {
  push: {
    github: (about: About, id: string) => fromGithub("push", github.push(about), secret, id),
    gitlab: (about: About, id: string) => fromGitlab("Push Hook", gitlab.push(about), secret, id),
    gitea: (about: About, id: string) => fromGitea("push", gitea.push(about), secret, id),
  },
  pull: {
    github: (about: About, id: string) => fromGithub("pull_request", github.pull(about), secret, id),
    gitlab: (about: About, id: string) => fromGitlab("Merge Request Hook", gitlab.merge(about), secret, id),
    gitea: (about: About, id: string) => fromGitea("pull_request", gitea.pull(about), secret, id),
  },
};
export type ProviderName = keyof typeof sent.push;
export const providerNames = ["github", "gitlab", "gitea"] as const;

/** A repository on a git server, and the record that lets its pushes make builds in a namespace of ann's. */
export interface Hooked {
  readonly namespace: Namespace;
  readonly record: Repository;
  readonly git: GitRepository;
  /** Sends a delivery as the provider does. */
  send(what: Sent): Promise<{ userId: number; number: number }[]>;
  push(about: About, id?: string): Promise<{ userId: number; number: number }[]>;
  pull(about: About, id?: string): Promise<{ userId: number; number: number }[]>;
}

/** The service, a git server, and repositories there. */
export function bootHooks(overrides: Partial<Config> = {}, answers: GitServerOptions = {}) {
  const on = bootBuilds(overrides);
  const hooks = { ...on, server: undefined as never as GitServer };
  let count = 0;
  beforeAll(async () => {
    hooks.server = await gitServer(answers);
  });
  afterAll(() => hooks.server[Symbol.asyncDispose]());
  return {
    on,
    server: () => hooks.server,
    async hooked(provider: ProviderName = "github", accessToken?: string, user = on.users.ann): Promise<Hooked> {
      const name = `octo/hello${++count}`;
      const git = await hooks.server.repository(`${name}.git`);
      const namespace = await on.accounts.aNamespace(on.users.ann, `ns${count}`);
      const wish = { namespaceId: namespace.id, provider, url: git.url, secret, accessToken };
      const record = (await on.as(user, () => on.repositories.createRepository(wish))).repository!;
      const send = async ({ headers, body }: Sent) => [
        ...(await on.repositories.receiveHook({ provider, id: record.id, headers, body })).builds,
      ];
      return {
        namespace,
        record,
        git,
        send,
        push: (about, id = randomUUID()) => send(sent.push[provider](about, id)),
        pull: (about, id = randomUUID()) => send(sent.pull[provider](about, id)),
      };
    },
    /** The build of a reference, as its owner sees it. */
    async build(ref: { userId: number; number: number }) {
      const owner = Object.values(on.users).find(({ id }) => id === ref.userId)!;
      return (await on.as(owner, () => on.builds.getBuild({ ref, brief: false }))).build!;
    },
  };
}
