import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { checkedAddresses, type Guard } from "@ci/kit/net/guarded-agent";
import { Fault } from "@ci/kit/rpc/fault";
import { explained } from "../../registry/explained.js";
import { dockerHub, registryOf } from "../../registry/place.js";

export interface RegistryRules {
  /** The registries that the operator trusts. Others are excluded unless the list is empty or contains `*`. */
  readonly registries: readonly string[];
  readonly guard: Guard;
}

const httpsPort = 443;

/** Throws a Fault unless builds may pull from the image's registry. Only of a trusted one may the engine hear. */
export async function checkRegistry(
  image: string,
  { registries, guard }: RegistryRules,
): Promise<"trusted" | "stranger"> {
  const registry = registryOf(image);
  if (registries.includes(registry)) return "trusted";
  if (registries.length > 0 && !registries.includes("*"))
    throw new Fault(
      "precondition",
      `This runner pulls no images from ${registry}; DOCKER_REGISTRIES names its registries`,
    );
  if (registry === dockerHub) return "stranger";
  if (!URL.canParse(`https://${registry}`)) throw new Fault("invalid", `"${registry}" is not the name of a registry`);
  const { hostname, port } = new URL(`https://${registry}`);
  try {
    await checkedAddresses(hostname, Number(port) || httpsPort, guard);
  } catch (error) {
    const reason = error instanceof FetchFailed ? explained(error) : "name lookup failed";
    throw new Fault("precondition", `Images cannot be pulled from ${registry}: ${reason}`, undefined, { cause: error });
  }
  return "stranger";
}
