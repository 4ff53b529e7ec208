import { ApiError, ForeignResponse } from "@service-ci/client";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Build, type BuildCopy, base, isUnauthorized, type Pages, pageOf, signInPage } from "./api.js";
import type { Liveness } from "./data.js";
import { ago, moment, spent, statusText } from "./format.js";
import { useScrollBack } from "./location.js";

const marks: Readonly<Record<string, string>> = {
  queued: "○",
  running: "◐",
  passed: "✓",
  passed_with_failures: "!",
  failed: "✕",
  killed: "■",
  timed_out: "◷",
  pending: "○",
  delivered: "✓",
  built: "✓",
  skipped: "–",
  cancelled: "■",
  active: "✓",
  off: "■",
  registered: "✓",
  by_hand: "!",
};

/** A status as an icon and a word. */
export const Status = ({ status }: { status: string }) => (
  <span class={`status status-${status}`}>
    <span class="mark" aria-hidden="true">
      {marks[status] ?? "?"}
    </span>
    {statusText(status)}
  </span>
);

/** How long ago something happened; the tooltip has the exact time. */
export const Ago = ({ time, now }: { time: string; now: number }) => (
  <time dateTime={time} title={moment(time)}>
    {ago(time, now)}
  </time>
);

/** A page with its heading, which gets the focus when the page opens. */
export function Page({
  title,
  children,
  actions,
}: {
  title: string;
  children: ComponentChildren;
  actions?: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Service CI`;
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <main id="content">
      <div class="heading">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </main>
  );
}

const advice: Readonly<Record<number, string>> = {
  403: "Your session may not do this. Sign in with a token that has the permission.",
  404: "It does not exist, or you may not see it. If you need access, ask its owner for an invite.",
  405: "This record can be changed or deleted, but not viewed.",
  429: "You have sent too many requests. Wait a moment.",
  503: "The service is starting, or part of it is down. Try again in a moment.",
};

const reasonOf = (error: unknown): string => {
  const hasAnswer = error instanceof ApiError || error instanceof ForeignResponse;
  if (!hasAnswer) return "The server cannot be reached. Check your connection.";
  return `${error.message}.`.replace(/\.\.$/, ".");
};

/** Shows what went wrong and what to do. */
export const Complaint = ({ error }: { error: unknown }) =>
  isUnauthorized(error) ? (
    <SignInFirst />
  ) : (
    <div class="complaint" role="alert">
      <p>{reasonOf(error)}</p>
      {error instanceof ApiError && advice[error.status] && <p>{advice[error.status]}</p>}
      {error instanceof ApiError && error.requestId && error.status >= 500 && (
        <p class="quiet">Request {error.requestId}</p>
      )}
    </div>
  );

const headingOf = (error: unknown): string => {
  if (isUnauthorized(error)) return "Sign in first";
  return error instanceof ApiError && error.status === 404 ? "Not found" : "This did not work";
};

/** The page for a record that cannot be shown. */
export const Failed = ({ error }: { error: unknown }) => (
  <Page title={headingOf(error)}>
    <Complaint error={error} />
    {!isUnauthorized(error) && (
      <p>
        <a href={`${base}/builds`}>All builds</a>
      </p>
    )}
  </Page>
);

const SignInFirst = () => (
  <div class="complaint" role="alert">
    <p>You are not signed in, or your session has ended.</p>
    <p>
      <a href={signInPage()}>Sign in</a>
    </p>
  </div>
);

const warnings = {
  live: "",
  lost: "Not live: the connection is lost. Trying again.",
  polled: "Not live: you may not follow the events here. Reloading every few seconds.",
};

/** Warns while the page is not up to date. */
export const Live = ({ liveness }: { liveness: Liveness }) =>
  liveness === "ended" ? (
    <SignInFirst />
  ) : (
    <p class="live" role="status">
      {warnings[liveness]}
    </p>
  );

export const Loading = () => (
  <p class="quiet" role="status">
    Loading …
  </p>
);

/** In the place of records. The page after the last one says so, because there can be records before it. */
export const Empty = ({ children }: { children: ComponentChildren }) => (
  <div class="empty">{Number(new URLSearchParams(location.search).get("page")) > 1 ? <BeyondEnd /> : children}</div>
);

const BeyondEnd = () => (
  <>
    <p>The list ends before this page.</p>
    <p>
      <a href={addressOf(1)}>Show its first page</a>
    </p>
  </>
);

const addressOf = (page: number) => {
  const query = new URLSearchParams(location.search);
  query.set("page", String(page));
  return `${location.pathname}?${query}`;
};

/** Links to the previous and the next page of a list, whose records are above them. */
export function Paging({ pages: { prev, next } }: { pages: Pages }) {
  useScrollBack();
  if (prev === undefined && next === undefined) return null;
  return (
    <nav class="paging" aria-label="Pages">
      {prev !== undefined && <a href={addressOf(prev)}>Previous page</a>}
      {next !== undefined && <a href={addressOf(next)}>Next page</a>}
    </nav>
  );
}

const titleOf = ({ trigger, number }: Pick<Build, "trigger" | "number">) =>
  trigger.comment.split("\n")[0] || `Build ${number}`;

/** A build as a row of a list. */
export const BuildRow = ({ build, now }: { build: BuildCopy; now: number }) => (
  <li class="row">
    <Status status={build.status} />
    <div class="what">
      <a href={pageOf(build.url)}>
        {titleOf(build)} <span class="quiet">{`${build.user.username} #${build.number}`}</span>
      </a>
      <div class="quiet">
        {build.namespace && <a href={pageOf(build.namespace.url)}>{build.namespace.path}</a>}
        <span>{build.trigger.type}</span>
        {build.tags.map((tag) => (
          <span class="tag" key={tag}>
            {tag}
          </span>
        ))}
        {build.pinned && <span>pinned</span>}
        {build.queue && <span>{`${build.queue.reason}, position ${build.queue.position}`}</span>}
        {build.reason && <span class="reason">{build.reason}</span>}
      </div>
    </div>
    <div class="when quiet">
      <span>{spent(build.started_at, build.finished_at, now)}</span>
      <Ago time={build.created_at} now={now} />
    </div>
  </li>
);
