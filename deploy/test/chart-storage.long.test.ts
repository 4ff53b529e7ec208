import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSize } from "@ci/kit/process/setting-types";
import { notRun } from "@ci/testkit/not-run";
import { helmOptions, ofKind, partOf, render, tool } from "./_chart.js";
import { deployDir } from "./_compose.js";

const helm = tool("helm");

function checks() {
  /** Returns the settings that limit what is stored, of all services. */
  function limits(values: Record<string, unknown>): Record<string, string> {
    const maps = ofKind(render(helm, helmOptions("minimal", values)), "ConfigMap");
    const entries = maps
      .filter(({ metadata }) => partOf(metadata.labels) !== "runner")
      .flatMap(({ data }) => Object.entries<string>(data));
    return Object.fromEntries(entries.filter(([name]) => /_(LIMIT|QUOTA|STORAGE)$/.test(name)));
  }

  const total = ({ IMAGE_QUOTA, OBJECT_QUOTA, ARTIFACT_QUOTA, CACHE_STORAGE }: Record<string, string>) =>
    [IMAGE_QUOTA, OBJECT_QUOTA, ARTIFACT_QUOTA, CACHE_STORAGE].reduce((sum, size) => sum + parseSize(size!), 0);

  it("lets no single user fill the volume of the bundled MongoDB", () => {
    const usual = limits({});
    expect(total(usual)).toBeLessThanOrEqual(0.7 * 20 * 1024 ** 3);
    expect(usual).toMatchObject({ IMAGE_LIMIT: "4096MiB", CACHE_LIMIT: "2048MiB", ARTIFACT_STORAGE: "1024MiB" });
  });

  it("leaves settings of the values, and the services' defaults with large volumes or another MongoDB", () => {
    expect(limits({ "mongodb.storage": "100Gi", "images.settings": { IMAGE_QUOTA: "1GiB" } })).toMatchObject({
      ...{ IMAGE_LIMIT: "20480MiB", IMAGE_QUOTA: "1GiB", ARTIFACT_QUOTA: "10240MiB", CACHE_LIMIT: "2048MiB" },
    });
    expect(limits({ "mongodb.storage": "100Ti" })).toMatchObject({
      ...{ IMAGE_QUOTA: "1048576MiB", OBJECT_QUOTA: "102400MiB", CACHE_STORAGE: "10240MiB" },
    });
    expect(limits({ "mongodb.bundled": false, "mongodb.urlSecret.name": "mine" })).toEqual({});
  });

  it.each(["alerts.yaml", "dashboard.json"])("claims volumes that %s watches", (file) => {
    const text = readFileSync(join(deployDir, "helm/service-ci/observability", file), "utf8");
    const [, watched] = /persistentvolumeclaim=~\\?"([^"\\]*)/.exec(text)!;
    const sets = ofKind(render(helm, helmOptions("minimal")), "StatefulSet").filter(
      (set) => set.spec.volumeClaimTemplates,
    );
    const claims = sets.map(({ metadata, spec }) => `${spec.volumeClaimTemplates[0].metadata.name}-${metadata.name}-0`);
    expect(claims).toHaveLength(2);
    for (const claim of claims) expect(claim).toMatch(new RegExp(`^(?:${watched})$`));
  });
}

if ("reason" in helm) notRun("what the chart stores", helm.reason);
else describe("the chart's volumes", checks);
