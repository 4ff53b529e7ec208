import { createHmac } from "node:crypto";
import {
  fromGitea,
  fromGithub,
  fromGitlab,
  gitea,
  github,
  gitlab,
  type SignedRequest,
  zeros,
} from "../../../test/_hook-payloads.js";
import { shortRef } from "./change.js";
import { isProvider, providers } from "./providers.js";
import { reasonForNothing, skipMark } from "./reasons.js";

const secret = "hush";
const id = "f6266f16-1bf3-46a5-9ea4-602e06ead473";
const sha = "da1560886d4f094c3e6c9ef40349f7d38b5d27d7";

const fromHub = (event: string, payload: object) => ["github", fromGithub(event, payload, secret, id)] as const;
const fromLab = (event: string, payload: object) => ["gitlab", fromGitlab(event, payload, secret, id)] as const;
const fromTea = (event: string, payload: object) => ["gitea", fromGitea(event, payload, secret, id)] as const;

const read = (provider: keyof typeof providers, { headers, body }: SignedRequest) =>
  providers[provider].read(headers, JSON.parse(Buffer.from(body).toString()));

const before = "95790bf891e76fee5e1747ab589903a6a1f80f22";
const pushed = {
  type: "push",
  ref: "refs/heads/main",
  sha,
  comment: "Fix it",
  email: "grace@example.com",
  username: "grace",
  fork: false,
  defaultBranch: "main",
};

describe("a push", () => {
  it.each([
    ["35129377", fromHub("push", github.push()), ["README.md"]],
    ["15", fromLab("Push Hook", gitlab.push()), undefined],
    ["140", fromTea("push", gitea.push()), undefined],
    ["140", fromTea("push", { ...gitea.push(), head_commit: undefined }), undefined],
  ])("to a branch of repository %s is read", (repoId, [provider, request], files) => {
    expect(read(provider, request)).toEqual({ ...pushed, repoId, before, files });
  });

  const [newInLab, newInTea] = [gitlab.push({ from: zeros }), gitea.push({ from: zeros })];
  const listed = { added: ["b.txt"], modified: ["a.txt"], removed: ["a.txt"] };
  it.each([
    [
      "github",
      fromHub("push", { ...github.push(), commits: [listed, { ...listed, added: ["c"] }] }),
      ["b.txt", "a.txt", "c"],
    ],
    ["gitlab, new", fromLab("Push Hook", { ...newInLab, commits: [listed, listed] }), ["b.txt", "a.txt"]],
    ["gitea, new", fromTea("push", { ...newInTea, commits: [listed] }), ["b.txt", "a.txt"]],
    // These may be forced without saying so.
    ["gitlab", fromLab("Push Hook", { ...gitlab.push(), commits: [listed, listed] }), undefined],
    ["gitea", fromTea("push", { ...gitea.push(), commits: [listed] }), undefined],
    ["github, forced", fromHub("push", { ...github.push(), forced: true }), undefined],
    ["github, without lists", fromHub("push", { ...github.push(), commits: [{ added: [], modified: [] }] }), undefined],
    ["gitlab, with more commits", fromLab("Push Hook", { ...newInLab, commits: [listed] }), undefined],
    ["gitea, with more commits", fromTea("push", { ...newInTea, commits: [listed], total_commits: 2 }), undefined],
    [
      "github, with too many files",
      fromHub("push", {
        ...github.push(),
        commits: [{ ...listed, added: Array.from({ length: 1_000 }, (_, n) => String(n)) }],
      }),
      undefined,
    ],
  ])("of %s has the files that all its commits change, or none", (_, [provider, request], files) => {
    expect(read(provider, request)?.files).toEqual(files);
  });

  const ref = "refs/tags/v1.0.0";
  it.each([
    [fromHub("push", { ...github.push({ ref }), after: "1".repeat(40) })],
    [fromLab("Tag Push Hook", { ...gitlab.tagPush(), after: "1".repeat(40) })],
    [fromTea("push", gitea.push({ ref }))],
  ])("of a tag names the commit", ([provider, request]) => {
    expect(read(provider, request)).toMatchObject({ type: "push", ref, sha });
  });

  it("whose author has no account has the pusher's name", () => {
    const { head_commit: head, ...push } = github.push();
    const unknownAuthor = { ...push, head_commit: { ...head, author: { name: "x", email: "" } } };
    expect(read(...fromHub("push", unknownAuthor))).toMatchObject({ email: "pusher@example.com", username: "pusher" });
  });
});

const pulled = { ...pushed, type: "pull", ref: "feature", comment: "Add a feature", id: "7", targetBranch: "main" };

describe("a pull request", () => {
  it.each([
    ["opened", "", "35129377", fromHub("pull_request", github.pull())],
    ["reopened", "", "35129377", fromHub("pull_request", github.pull({ action: "reopened" }))],
    ["synchronize", "", "35129377", fromHub("pull_request", github.pull({ action: "synchronize" }))],
    ["open", "grace@example.com", "15", fromLab("Merge Request Hook", gitlab.merge())],
    ["reopen", "grace@example.com", "15", fromLab("Merge Request Hook", gitlab.merge({ action: "reopen" }))],
    ["update", "grace@example.com", "15", fromLab("Merge Request Hook", gitlab.merge({ action: "update" }))],
    ["opened", "grace@example.com", "140", fromTea("pull_request", gitea.pull())],
    ["synchronized", "grace@example.com", "140", fromTea("pull_request", gitea.pull({ action: "synchronized" }))],
  ])("that is %s is read", (action, email, repoId, [provider, request]) => {
    // GitLab does not say where the target branch is.
    const from = provider === "gitlab" ? (action === "update" ? { before } : {}) : { base: before };
    expect(read(provider, request)).toEqual({ ...pulled, ...from, action, email, repoId });
  });

  it("is compared with the commit where it left the target branch, if Gitea names that", () => {
    const forked = "1".repeat(40);
    const { pull_request: pull, ...payload } = gitea.pull();
    const given = { ...payload, pull_request: { ...pull, merge_base: forked } };
    expect(read(...fromTea("pull_request", given))).toMatchObject({ base: forked, targetBranch: "main" });
  });

  const deletedFork = github.pull();
  const withHead = ({ pull_request: pull, ...payload }: ReturnType<typeof gitea.pull>, head: object) => ({
    ...payload,
    pull_request: { ...pull, head: { ...pull.head, ...head } },
  });
  it.each([
    [fromHub("pull_request", github.pull({ fork: true }))],
    [
      fromHub("pull_request", {
        ...deletedFork,
        pull_request: { ...deletedFork.pull_request, head: { ref: "x", sha, repo: null } },
      }),
    ],
    [fromLab("Merge Request Hook", gitlab.merge({ fork: true }))],
    [fromTea("pull_request", gitea.pull({ fork: true }))],
    [fromTea("pull_request", gitea.pull({ agit: true }))],
    [fromTea("pull_request", withHead(gitea.pull(), { label: "" }))],
    [fromTea("pull_request", withHead(gitea.pull(), { ref: "refs/pull/7/head" }))],
    [fromTea("pull_request", { ...gitea.pull(), pull_request: { ...gitea.pull().pull_request, flow: 1 } })],
  ])("from a fork, or without a branch, is marked", ([provider, request]) => {
    expect(read(provider, request)).toMatchObject({ type: "pull", fork: true });
  });
});

describe("no build is made for", () => {
  const labelled = gitlab.merge({ action: "update" });
  const reason = (provider: keyof typeof providers, { headers, body }: SignedRequest) =>
    reasonForNothing(providers[provider], headers, JSON.parse(Buffer.from(body).toString()));

  it.each([
    [fromHub("ping", { zen: "x" }), "the event ping makes no build"],
    [fromHub("constructor", github.pull()), "the event constructor makes no build"],
    [fromHub("push", github.branchDeleted()), "a branch or tag was deleted"],
    [fromHub("push", { ...github.push(), ref: "refs/notes/x" }), "the payload names no commit of a branch or tag"],
    [fromHub("pull_request", github.pull({ action: "closed" })), "a request that is closed makes no build"],
    [fromHub("x".repeat(1_000), github.pull()), `the event ${"x".repeat(100)} makes no build`],
    [fromLab("Merge Request Hook", gitlab.merge({ action: "merge" })), "a request that is merge makes no build"],
    [fromLab("Push Hook", gitlab.branchDeleted()), "a branch or tag was deleted"],
    [fromLab("Note Hook", {}), "the event without a name makes no build"],
    [fromTea("pull_request", {}), "a request that is without an action makes no build"],
    [fromTea("push", []), "the payload names no commit of a branch or tag"],
  ])("an event, with the reason: %p", ([provider, request], expected) => {
    expect(read(provider, request)).toBeUndefined();
    expect(reason(provider, request)).toBe(expected);
  });

  it.each([
    ["[skip ci] docs", "[skip ci]"],
    ["Fix a typo\n\n[CI skip]", "[CI skip]"],
    ["skip ci", undefined],
    ["[skip  ci]", undefined],
    ["[skip ci".repeat(100_000), undefined],
  ])("a message only with a mark: %.30s", (message, mark) => {
    expect(skipMark(message)).toBe(mark);
  });

  it.each([
    [fromHub("ping", { zen: "x", hook_id: 1 })],
    [fromHub("push", github.branchDeleted())],
    [fromHub("push", { ...github.push(), ref: "refs/notes/commits" })],
    [fromHub("push", { ...github.push(), head_commit: null, after: "--upload-pack=x" })],
    [fromHub("pull_request", github.pull({ action: "closed" }))],
    [fromHub("pull_request", github.pull({ action: "labeled" }))],
    [fromHub("issues", github.pull())],
    [fromLab("Push Hook", gitlab.branchDeleted())],
    [fromLab("Merge Request Hook", gitlab.merge({ action: "close" }))],
    [fromLab("Merge Request Hook", gitlab.merge({ action: "merge" }))],
    [
      fromLab("Merge Request Hook", {
        ...labelled,
        object_attributes: { ...labelled.object_attributes, oldrev: undefined },
      }),
    ],
    [fromLab("Note Hook", { object_kind: "note" })],
    [fromTea("push", gitea.branchDeleted())],
    [fromTea("delete", { ref: "x", ref_type: "branch" })],
    [fromTea("create", { sha, ref: "x", ref_type: "branch" })],
    [fromTea("pull_request", gitea.pull({ action: "closed" }))],
    [fromTea("push", [])],
  ])("%p", ([provider, request]) => {
    expect(read(provider, request)).toBeUndefined();
  });

  it("a payload that is not JSON", () => {
    for (const payload of [undefined, null, "x"])
      expect(providers.github.read({ "x-github-event": "push" }, payload)).toBe(undefined);
  });
});

const hmacOf = (body: Uint8Array, secret: string) => createHmac("sha256", secret).update(body).digest("hex");

describe("a signature", () => {
  const requests = [fromHub("push", github.push()), fromLab("Push Hook", gitlab.push()), fromTea("push", gitea.push())];

  it.each(requests)("of %s is valid only for its secret and body", (provider, { headers, body }) => {
    const isSigned = (sent: typeof headers, signed: Uint8Array, kept: string) =>
      providers[provider].isSigned(sent, hmacOf(signed, kept), kept);
    expect(isSigned(headers, body, secret)).toBe(true);
    expect(isSigned(headers, body, `${secret}x`)).toBe(false);
    expect(isSigned({}, body, secret)).toBe(false);
    if (provider !== "gitlab") expect(isSigned(headers, Buffer.concat([body, Buffer.from(" ")]), secret)).toBe(false);
    expect(providers[provider].deliveryId(headers)).toBe(id);
  });

  it("of Gitea needs only one of its header names", () => {
    const { headers, body } = fromGitea("push", gitea.push(), secret, id);
    const isSigned = (name: string, value = headers[name]!) =>
      providers.gitea.isSigned({ [name]: value }, hmacOf(body, secret), secret);
    expect(isSigned("x-gitea-signature")).toBe(true);
    expect(isSigned("x-hub-signature-256")).toBe(true);
    expect(isSigned("x-forgejo-signature", headers["x-gitea-signature"])).toBe(true);
    expect(isSigned("x-hub-signature-256", headers["x-gitea-signature"])).toBe(false);
  });

  it("of GitLab is valid for secrets whose header arrives as Latin-1 and without outer spaces", () => {
    const sign = (sent: string, kept: string) =>
      providers.gitlab.isSigned({ "x-gitlab-token": Buffer.from(sent).toString("latin1").trim() }, "", kept);
    for (const one of ["plain", "pässwörd 密", " outer  spaces "]) expect(sign(one, one)).toBe(true);
    expect(sign("pässwört", "pässwörd")).toBe(false);
  });

  it("of GitLab is never valid for a secret of spaces", () => {
    expect(providers.gitlab.isSigned({}, "", "  ")).toBe(false);
    expect(providers.gitlab.isSigned({ "x-gitlab-token": "" }, "", "  ")).toBe(false);
  });

  it("a repeated delivery of GitLab keeps its id", () => {
    expect(providers.gitlab.deliveryId({ "idempotency-key": "k", "x-gitlab-event-uuid": "u" })).toBe("k");
  });
});

it("there are three providers", () => {
  expect(["github", "gitlab", "gitea", "GitHub", "toString", ""].filter(isProvider)).toEqual([
    "github",
    "gitlab",
    "gitea",
  ]);
});

it("a ref is tagged by its short name", () => {
  expect(["refs/heads/a/b", "refs/tags/v1", "feature", "refs/heads/refs/tags/x"].map(shortRef)).toEqual([
    "a/b",
    "v1",
    "feature",
    "refs/tags/x",
  ]);
});

test("a change's texts have limits, and a ref beyond its own is none", () => {
  const long = "ü".repeat(1_000_000);
  const change = read("github", fromGithub("push", github.push({ message: long }), secret, id));
  expect(change?.comment).toBe("ü".repeat(4_096));
  const ref = `refs/heads/${"x".repeat(2_000)}`;
  expect(read("github", fromGithub("push", github.push({ ref }), secret, id))).toBeUndefined();
});
