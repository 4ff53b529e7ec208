/** Where an image lies: `origin/v2/repository/manifests/reference`. */
export interface ImagePlace {
  readonly origin: string;
  readonly repository: string;
  /** A tag or a digest. */
  readonly reference: string;
  /** The repository with its registry, as engines store it. */
  readonly stored: string;
}

export const dockerHub = "docker.io";
const dockerHubOrigin = "https://registry-1.docker.io";

/** Splits a name as engines do: the first part is a host if it cannot be a folder of Docker Hub. */
function split(image: string): { readonly host: string | undefined; readonly path: string } {
  const [first = "", ...rest] = image.split("/");
  const isHost = /[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase();
  return rest.length > 0 && isHost ? { host: first, path: rest.join("/") } : { host: undefined, path: image };
}

/** Returns the registry in an image's name. */
export function registryOf(image: string): string {
  const host = split(image).host?.toLowerCase() ?? dockerHub;
  return host === "index.docker.io" ? dockerHub : host;
}

/** As engines do, speaks to the loopback without TLS, and to nothing else. */
const isLoopback = (registry: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3})(?::\d+)?$/.test(registry);

/** Returns the place of an image whose name is complete. */
export function placeOf(image: string): ImagePlace {
  const [tagged = "", digest] = image.split("@");
  const { host = dockerHub, path } = split(tagged);
  const [, name = path, tag = "latest"] = /^(.*):(.*)$/.exec(path) ?? [];
  const reference = digest ?? tag;
  const registry = registryOf(image);
  if (registry !== dockerHub) {
    const origin = `${isLoopback(registry) ? "http" : "https"}://${registry}`;
    return { origin, repository: name, reference, stored: `${host}/${name}` };
  }
  const repository = name.includes("/") ? name : `library/${name}`;
  return { origin: dockerHubOrigin, repository, reference, stored: `${dockerHub}/${repository}` };
}
