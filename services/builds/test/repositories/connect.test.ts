import { eventually } from "@ci/testkit/eventually";
import type { Answer, Received } from "@ci/testkit/receiver";
import { fault } from "../_suite.js";
import { bootHooks, manifest, secret } from "./_hooks.js";

const token = "t0ken";
const apis = { gitea: "/api/v1/repos/", gitlab: "/api/v4/projects/", github: "/api/v3/repos/" } as const;
let hosted: keyof typeof apis | undefined;
const described = { status: 200, headers: { "Content-Type": "application/json" }, body: '{"id": 7}' };

let whenRegistering = async () => {};

/** Plays the API of one provider, which shows the repository to this token alone. */
async function answer({ path, headers }: Received): Promise<Answer> {
  if (!hosted || !path.startsWith(apis[hosted])) return { status: 404 };
  if (![headers["private-token"], headers.authorization].join().includes(token)) return { status: 401 };
  if (path.includes("/hooks")) await whenRegistering();
  return path.includes("/hooks") || path.includes("/statuses") ? { status: 201 } : described;
}
const { suite, server } = bootHooks({}, { answer });
let count = 0;

async function aPlace() {
  const namespace = await suite.accounts.aNamespace(suite.users.ann, `connect${++count}`);
  const git = await server().repository(`octo/connect${count}.git`);
  const connect = (more: object) =>
    suite.as(suite.users.ann, () =>
      suite.repositories.createRepository({ namespaceId: namespace.id, provider: "", url: git.url, secret, ...more }),
    );
  const list = () =>
    suite.as(suite.users.ann, () =>
      suite.repositories.listRepositories({ namespaceId: namespace.id, page: { number: 1 } }),
    );
  return { namespace, git, connect, list };
}

describe("the provider", () => {
  it.each(["gitea", "gitlab", "github"] as const)(
    "is found to be %s by the API that knows the repository",
    async (name) => {
      hosted = name;
      const { connect } = await aPlace();
      const { repository, delivery } = await connect({ accessToken: token });
      expect([repository, delivery]).toEqual([
        expect.objectContaining({ provider: name, hook: "registered" }),
        undefined,
      ]);
    },
  );

  it("that does not show the repository is complained about, and nothing is stored", async () => {
    hosted = "gitea";
    const { connect, list } = await aPlace();
    for (const accessToken of ["wrong", ""])
      expect((await fault(connect({ accessToken }))).fields).toEqual({
        provider: [expect.stringMatching(/^Provider field required; no provider known at this address /)],
      });
    expect((await list()).repositories).toEqual([]);
  });

  it("is asked for nothing if the request has other mistakes", async () => {
    const { connect } = await aPlace();
    const before = server().apiRequests.length;
    const { fields } = await fault(connect({ secret: "", accessToken: token }));
    expect(Object.keys(fields ?? {}).sort()).toEqual(["provider", "secret"]);
    expect(server().apiRequests).toHaveLength(before);
  });
});

describe("the first builds", () => {
  beforeEach(() => {
    hosted = "gitea";
  });

  it("are those of the default branch, as if it had just been pushed", async () => {
    const { git, connect } = await aPlace();
    await git.git("symbolic-ref", "HEAD", "refs/heads/trunk");
    await git.commit({ ".service-ci.yml": "not this one" }, "refs/heads/main");
    const sha = await git.commit({ ".service-ci.yml": manifest }, "refs/heads/trunk", "Begin");
    const { repository, delivery } = await connect({ accessToken: token, build: true });
    expect(delivery).toMatchObject({ event: "connected", ref: "refs/heads/trunk", sha, status: "built", reasons: [] });
    const [made] = delivery!.builds;
    const ref = { userId: made!.userId, number: made!.number };
    const { build } = await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref, brief: false }));
    expect(build).toMatchObject({
      namespaceId: repository!.namespaceId,
      trigger: { type: "push", comment: "Begin", data: { sha, username: "Grace", email: "grace@example.com" } },
    });
    await eventually(() =>
      expect(server().apiRequests.map(({ method, path }) => `${method} ${path}`)).toContain(
        `POST /api/v1/repos/octo/connect${count}/statuses/${sha}`,
      ),
    );
  });

  it("are none for a commit without a manifest, which the delivery says, and for an empty repository", async () => {
    const { git, connect } = await aPlace();
    expect((await connect({ accessToken: token, build: true })).delivery).toBeUndefined();
    await git.git("symbolic-ref", "HEAD", "refs/heads/main");
    await git.commit({ readme: "x" });
    const { delivery } = await connect({ accessToken: token, build: true });
    expect(delivery).toMatchObject({ status: "skipped", reasons: ["no manifest at this commit"], builds: [] });
  });

  it("are stored before the hook is registered, so that a crash does not lose them", async () => {
    const { namespace, git, connect, list } = await aPlace();
    await git.git("symbolic-ref", "HEAD", "refs/heads/main");
    await git.commit({ ".service-ci.yml": manifest });
    const stored: unknown[] = [];
    whenRegistering = async () => {
      const [repository] = (await list()).repositories;
      const ref = { namespaceId: namespace.id, repositoryId: repository!.id, page: undefined };
      const found = await suite.as(suite.users.ann, () => suite.repositories.listHookDeliveries(ref));
      stored.push(...found.deliveries);
      whenRegistering = async () => {};
    };
    const { delivery } = await connect({ accessToken: token, build: true });
    expect(stored).toEqual([expect.objectContaining({ id: delivery!.id, event: "connected", status: "pending" })]);
    expect(delivery!.builds).toHaveLength(1);
  });

  it("of a repository that cannot be read are refused, and nothing is stored", async () => {
    const { connect, list } = await aPlace();
    const url = `${server().url}/octo/missing.git`;
    expect((await fault(connect({ provider: "gitea", url, build: true }))).fields).toEqual({
      url: ["Url repository could not be read: 404; check the address and the access token"],
    });
    expect((await list()).repositories).toEqual([]);
  });
});
