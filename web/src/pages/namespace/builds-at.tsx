import { useRef, useState } from "preact/hooks";
import { type Build, client } from "../../api.js";
import { buildReader } from "../../build-reader.js";
import { useData, useNow } from "../../data.js";
import { isFinished } from "../../format.js";
import { BuildRow, Complaint } from "../../parts.js";

/** How many builds are shown at first, and by each step. */
const step = 25;

async function load(url: string, signal: AbortSignal): Promise<Build> {
  return (await client.request(`${url}?brief=true`, { signal })).json();
}

/** The builds at these addresses, updated until they finish. */
export function BuildsAt({ urls }: { urls: readonly string[] }) {
  const [read] = useState(() => buildReader(load));
  const [max, setMax] = useState(step);
  const shown = urls.slice(0, max);
  const { data, error } = useData(shown.join(" "), (signal) => read(shown, signal), {
    everyMs: ({ changes }) => (changes ? 2_000 : undefined),
  });
  const last = useRef(data);
  last.current = data ?? last.current;
  const builds = last.current?.builds ?? [];
  const now = useNow(builds.some(({ status }) => !isFinished(status)));
  const complaint = error ?? data?.error;
  return (
    <>
      {complaint !== undefined && <Complaint error={complaint} />}
      <ul class="rows">
        {builds.map((build) => (
          <BuildRow key={build.id} build={build} now={now} />
        ))}
      </ul>
      {urls.length > max && (
        <button type="button" onClick={() => setMax(max + step)}>
          {`Show more of the ${urls.length} builds`}
        </button>
      )}
    </>
  );
}
