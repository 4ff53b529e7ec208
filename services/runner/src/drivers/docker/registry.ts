import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { checkedAddresses, type Guard } from "@ci/kit/net/guarded-agent";
import { Fault } from "@ci/kit/rpc/fault";

export interface RegistryRules {
  /** The registries that builds may pull from; empty for every registry at an allowed address. */
  readonly registries: readonly string[];
  readonly guard: Guard;
}

const dockerHub = "docker.io";
const httpsPort = 443;

/** Returns the registry in an image's name, as engines find it: a first part that cannot be a folder of Docker Hub. */
export function registryOf(image: string): string {
  const [first = "", ...rest] = image.split("/");
  const isHost = /[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase();
  if (rest.length === 0 || !isHost) return dockerHub;
  return first === "index.docker.io" ? dockerHub : first.toLowerCase();
}

/** Throws a Fault unless builds may pull from the image's registry. The engine must not hear of the image before. */
export async function checkRegistry(image: string, { registries, guard }: RegistryRules): Promise<void> {
  const registry = registryOf(image);
  if (registries.includes(registry)) return;
  if (registries.length > 0)
    throw new Fault(
      "precondition",
      `This runner pulls no images from ${registry}; DOCKER_REGISTRIES names its registries`,
    );
  if (registry === dockerHub) return;
  if (!URL.canParse(`https://${registry}`)) throw new Fault("invalid", `"${registry}" is not the name of a registry`);
  const { hostname, port } = new URL(`https://${registry}`);
  try {
    await checkedAddresses(hostname, Number(port) || httpsPort, guard);
  } catch (error) {
    const reason = error instanceof FetchFailed ? error.reason : "name lookup failed";
    throw new Fault("precondition", `Images cannot be pulled from ${registry}: ${reason}`, undefined, { cause: error });
  }
}
