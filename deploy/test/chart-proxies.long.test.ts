import { notRun } from "@ci/testkit/not-run";
import {
  containersOf,
  environmentOf,
  externalSecrets,
  helmOptions,
  ofKind,
  partOf,
  render,
  template,
  tool,
  workloads,
} from "./_chart.js";
import { readBy } from "./_settings.js";

const helm = tool("helm");
const files = ["minimal", "production", "air-gapped"];

function checks() {
  const rendered = (file: string) => render(helm, helmOptions(file));

  it.each(["ingress", "gateway"])("trusts the proxies of an %s, which must be named", (kind) => {
    const withProxies = (proxies: readonly string[]) =>
      helmOptions("minimal", { "expose.kind": kind, "expose.proxies": proxies });
    const trusted = ["10.244.0.0/16", "fd00:10::/64", "192.0.2.7"];
    const [container] = containersOf(
      workloads(render(helm, withProxies(trusted))).find(({ metadata }) => partOf(metadata.labels) === "gateway"),
    );
    const env = environmentOf(render(helm, withProxies(trusted)), container, externalSecrets);
    expect(env.TRUSTED_PROXIES).toBe(trusted.join(","));
    expect(template(helm, withProxies([])).stderr).toContain("expose.proxies is required");
    // The last one would let every client choose its address.
    for (const invalid of ["ingress-nginx", "10.0.0.0/16,10.1.0.0/16", "0.0.0.0/0"])
      expect(template(helm, withProxies([invalid])).stderr).toContain("expose");
  });

  it.each(files)("%s trusts its proxies, if it has any", (file) => {
    const gateway = workloads(rendered(file)).find(({ metadata }) => partOf(metadata.labels) === "gateway");
    const { TRUSTED_PROXIES } = environmentOf(rendered(file), containersOf(gateway)[0], externalSecrets);
    const isExposed = ofKind(rendered(file), "Ingress", "HTTPRoute").length > 0;
    expect(TRUSTED_PROXIES !== "").toBe(isExposed);
    expect(
      readBy("gateway", { ...environmentOf(rendered(file), containersOf(gateway)[0], externalSecrets) }).complaint,
    ).toBeUndefined();
  });
}

if ("reason" in helm) notRun("the chart's proxies", helm.reason);
else describe("the chart", checks);
