import { type Build, client, pageOf } from "../api.js";
import { isFinished } from "../format.js";
import { Status } from "../parts.js";
import type { Work } from "../work.js";

const axesOf = (axes: Readonly<Record<string, string>>): string =>
  Object.entries(axes)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");

/** The builds of a matrix, in its order, except those that the reader may not list. */
export function Group({ build, group, work }: { build: Build; group: readonly Build[]; work: Work }) {
  if (!build.group) return null;
  const kill = () => {
    const path = { user: build.user.username, number: build.number };
    return client.api.DELETE("/b/{user}/{number}", { params: { path, query: { group: "true" } } });
  };
  const { axes, index, size } = build.group;
  return (
    <nav class="matrix" aria-label="Builds of the matrix">
      <h2>{`${["Matrix", axesOf(axes)].filter(Boolean).join(": ")} (build ${index + 1} of ${size})`}</h2>
      <ul>
        {group.map(({ id, url, number, status, group }) => (
          <li key={id}>
            <a href={pageOf(url)} aria-current={id === build.id ? "page" : undefined}>
              <Status status={status} />
              <span>{group ? axesOf(group.axes) : ""}</span>
              <span class="quiet">{`#${number}`}</span>
            </a>
          </li>
        ))}
      </ul>
      {group.some(({ status }) => !isFinished(status)) && (
        <button type="button" class="danger" disabled={work.busy} onClick={() => work.start(kill)}>
          Kill all builds of the matrix
        </button>
      )}
    </nav>
  );
}
