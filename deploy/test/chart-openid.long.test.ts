import { notRun } from "@ci/testkit/not-run";
import { containersOf, environmentOf, externalSecrets, helmOptions, ofKind, partOf, render, tool } from "./_chart.js";
import { readBy } from "./_settings.js";

const helm = tool("helm");
const given = {
  openid: { secret: "mine", key: "client" },
  "gateway.settings": { OIDC_ISSUER: "https://login.example.com", OIDC_CLIENT_ID: "ci" },
  "namespaces.settings": { OIDC_CREATE_USERS: true, OIDC_GROUP_NAMESPACES: "devs=alice/team; ops=alice/ops" },
};

/** Returns a service's environment, its secret of OpenID Connect, and whether it may reach the outside world. */
function partsOf(service: string, values: Readonly<Record<string, unknown>>) {
  const all = render(helm, helmOptions("minimal", values));
  const isOf = ({ metadata }: { metadata: { labels: Record<string, string> } }) => partOf(metadata.labels) === service;
  const [container] = containersOf(ofKind(all, "Deployment").find(isOf));
  const [policy] = ofKind(all, "NetworkPolicy").filter(isOf);
  return {
    env: environmentOf(all, container, { ...externalSecrets, OIDC_CLIENT_SECRET: "s" }),
    ref: container.env.find(({ name }: { name: string }) => name === "OIDC_CLIENT_SECRET")?.valueFrom.secretKeyRef,
    reachesWorld: JSON.stringify(policy.spec.egress).includes('"0.0.0.0/0"'),
  };
}

if ("reason" in helm) notRun("OpenID Connect in the chart", helm.reason);
else {
  test("the gateway takes the secret of OpenID Connect from the Secret that is named, and reaches the provider", () => {
    const { env, ref, reachesWorld } = partsOf("gateway", given);
    expect([ref, reachesWorld]).toEqual([{ name: "mine", key: "client" }, true]);
    expect(readBy("gateway", env).complaint).toBeUndefined();
    expect(partsOf("gateway", {})).toMatchObject({ ref: undefined, reachesWorld: false });
  });

  test("namespaces takes who is created and what groups give", () => {
    const { env, ref } = partsOf("namespaces", given);
    expect([env.OIDC_CREATE_USERS, env.OIDC_GROUP_NAMESPACES, ref]).toEqual([
      ...["true", "devs=alice/team; ops=alice/ops", undefined],
    ]);
    expect(readBy("namespaces", env).complaint).toBeUndefined();
  });
}
