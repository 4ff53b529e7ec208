import { record } from "@service-ci/client";
import { type Build, base, client, currentPath, type Pages, pagesIn, type Test } from "../api.js";
import { useData } from "../data.js";
import { duration, isFinished } from "../format.js";
import { Empty, Failed, Live, Loading, Page, Paging, Status } from "../parts.js";
import type { Params } from "../routes.js";

const statuses = ["failed", "skipped", "passed"] as const;
/** Number of slow tests in the first view. */
const maxSlow = 10;

interface Part {
  readonly tests: readonly Test[];
  readonly pages: Pages;
}

async function part(path: string, query: URLSearchParams): Promise<Part> {
  const response = await client.request(`${path}?${query}`);
  return { tests: (await response.json()) as Test[], pages: pagesIn(response) };
}

/** Loads the list that the address names, by default the failures and the slowest tests. */
async function load({ user = "", number = "" }: Params, query: URLSearchParams) {
  const path = `/b/${encodeURIComponent(user)}/${encodeURIComponent(number)}/tests`;
  const params = { path: { user, number: Number(number) }, query: { brief: "true" as const } };
  const only = (name: string, value: string) => part(path, new URLSearchParams([[name, value]]));
  const isList = query.has("status") || query.has("order");
  const [build, listed, failed, slowest] = await Promise.all([
    record(client.api.GET("/b/{user}/{number}", { params })),
    isList ? part(path, query) : undefined,
    isList ? undefined : only("status", "failed"),
    isList ? undefined : only("order", "slowest"),
  ]);
  return { build, listed, failed, slowest };
}

/** The test results of a build. */
export function BuildTestsPage({ params }: { params: Params }) {
  const query = new URLSearchParams(location.search);
  const { data, error, liveness } = useData(`tests ${currentPath()}?${query}`, () => load(params, query), {
    everyMs: ({ build }) => (isFinished(build.status) ? undefined : 3_000),
  });
  if (error && !data) return <Failed error={error} />;
  const build = `${params.user} #${params.number}`;
  const title = `Tests of ${build}`;
  if (!data)
    return (
      <Page title={title}>
        <Loading />
      </Page>
    );
  const { listed, failed, slowest } = data;
  return (
    <Page title={title}>
      <p>
        <a href={`${base}${currentPath().replace(/\/tests\/?$/, "")}`}>{`Build ${build}`}</a>
      </p>
      <Live liveness={liveness} />
      {data.build.tests && <Counts counts={data.build.tests} query={query} />}
      {!data.build.tests && <NoReports finished={isFinished(data.build.status)} />}
      {listed && <Tests tests={listed.tests} />}
      {listed && <Paging pages={listed.pages} />}
      {failed && failed.tests.length > 0 && (
        <section aria-label="Failed tests">
          <h2>Failed</h2>
          <Tests tests={failed.tests} />
          {failed.pages.next !== undefined && <a href="?status=failed">All failed tests</a>}
        </section>
      )}
      {slowest && slowest.tests.length > 0 && (
        <section aria-label="Slowest tests">
          <h2>Slowest</h2>
          <Tests tests={slowest.tests.slice(0, maxSlow)} />
          <a href="?order=slowest">All tests, the slowest first</a>
        </section>
      )}
    </Page>
  );
}

const NoReports = ({ finished }: { finished: boolean }) => (
  <Empty>
    <p>{finished ? "No job of this build has a test report." : "No job has reported tests yet."}</p>
    <p>
      To report a job's tests, add <code>{'reports: [{junit: "reports/*.xml"}]'}</code> to the job in the manifest.
    </p>
  </Empty>
);

/** The number of tests by status, each with a link to its list. */
function Counts({ counts, query }: { counts: NonNullable<Build["tests"]>; query: URLSearchParams }) {
  const { total, failed, skipped, seconds } = counts;
  const numbers = { failed, skipped, passed: total - failed - skipped };
  const current = (name: string, value: string) => (query.get(name) === value ? "page" : undefined);
  return (
    <nav class="counts" aria-label="Tests by status">
      <a href="?order=jobs" aria-current={current("order", "jobs")}>{`${total} in all`}</a>
      {statuses.map((status) => (
        <a key={status} href={`?status=${status}`} aria-current={current("status", status)}>
          {`${numbers[status]} ${status}`}
        </a>
      ))}
      <span class="quiet">{duration(seconds)}</span>
    </nav>
  );
}

const Tests = ({ tests }: { tests: readonly Test[] }) =>
  tests.length === 0 ? (
    <Empty>
      <p>No test matches.</p>
    </Empty>
  ) : (
    <ul class="rows tests">
      {tests.map((test, index) => (
        <li class="row" key={index}>
          <Status status={test.status} />
          <div class="what">
            <span>{test.name}</span>
            <div class="quiet">
              {[test.class_name, test.suite, test.job].filter(Boolean).map((place, index) => (
                <span key={index}>{place}</span>
              ))}
            </div>
            {(test.message || test.output) && <Details test={test} />}
          </div>
          <span class="when quiet">{duration(test.seconds)}</span>
        </li>
      ))}
    </ul>
  );

const Details = ({ test: { message, output } }: { test: Test }) => (
  <details>
    <summary>{message?.split("\n")[0] || "Output"}</summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard */}
    <pre tabIndex={0}>{[message, output].filter(Boolean).join("\n\n")}</pre>
  </details>
);
