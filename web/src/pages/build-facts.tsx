import { type Artifact, type Build, pageOf } from "../api.js";
import { size, words } from "../format.js";

/** Returns why an artifact has no content. */
function missing(deletedAt: string | null, finished: boolean): string {
  if (deletedAt) return "deleted to save space";
  return finished ? "not collected" : "not collected yet";
}

/** The artifacts of a build with their sizes. */
export const Artifacts = ({ artifacts, finished }: { artifacts: readonly Artifact[]; finished: boolean }) =>
  artifacts.length === 0 ? null : (
    <section aria-label="Artifacts">
      <h2>Artifacts</h2>
      <ul class="rows">
        {artifacts.map(({ id, name, size: bytes, url, content_url, job, deleted_at }) => (
          <li class="row" key={id}>
            <div class="what">
              <a href={pageOf(url)}>{name}</a> <span class="quiet">{job.name}</span>
            </div>
            <div class="when">
              {bytes !== null && content_url && (
                <>
                  <span class="quiet">{size(bytes)}</span>
                  <a href={pageOf(content_url)} rel="external" download aria-label={`Download ${name}`}>
                    Download
                  </a>
                </>
              )}
              {bytes === null && <span class="quiet">{missing(deleted_at, finished)}</span>}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );

const Trigger = ({ trigger }: Pick<Build, "trigger">) => (
  <dl class="facts">
    <div>
      <dt>Trigger</dt>
      <dd>{trigger.type}</dd>
    </div>
    {Object.entries(trigger.data).map(([name, value]) => (
      <div key={name}>
        <dt>{words(name)}</dt>
        <dd>{name === "restart_of" ? <a href={pageOf(value)}>{value}</a> : value}</dd>
      </div>
    ))}
  </dl>
);

/** Why the build was submitted, and its manifest. */
export const Facts = ({ build }: { build: Build }) => (
  <section aria-label="About this build">
    <h2>About this build</h2>
    <Trigger trigger={build.trigger} />
    <p class="links">
      <a href={pageOf(build.variables_url)}>Variables</a>
      <a href={pageOf(build.objects_url)}>Objects</a>
      <a href={pageOf(build.keys_url)}>Keys</a>
      <a href={`${pageOf(build.url)}/tests`}>Tests</a>
    </p>
    <details>
      <summary>Manifest</summary>
      {build.manifest === "" && <p>It was not kept, because no member approved the build before it was killed.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard */}
      {build.manifest !== "" && <pre tabIndex={0}>{build.manifest}</pre>}
    </details>
  </section>
);
