import { readConfig as builds } from "../../services/builds/src/config.js";
import { readConfig as gateway } from "../../services/gateway/src/config.js";
import { readConfig as images } from "../../services/images/src/config.js";
import { readConfig as namespaces } from "../../services/namespaces/src/config.js";
import { readConfig as runner } from "../../services/runner/src/config.js";
import { readConfig as webhooks } from "../../services/webhooks/src/config.js";

export type Environment = Readonly<Record<string, string | undefined>>;

const configs: Readonly<Record<string, (env: NodeJS.ProcessEnv) => unknown>> = {
  gateway,
  namespaces,
  builds,
  images,
  webhooks,
  runner,
};

export const services = Object.keys(configs);

/**
 * Reads a service's configuration from this environment.
 * @returns the names that it read, and the message if it rejected the environment
 */
export function readBy(service: string, env: Environment): { names: Set<string>; complaint?: string } {
  const names = new Set<string>();
  const watched = new Proxy(env, {
    get(target, name: string) {
      names.add(name);
      return target[name];
    },
  });
  try {
    configs[service]!(watched as NodeJS.ProcessEnv);
    return { names };
  } catch (error) {
    return { names, complaint: (error as Error).message };
  }
}

/** Returns every setting of a service, also those that depend on others. */
export const settingsOf = (service: string): Set<string> =>
  readBy(service, { TLS_CERT: "a", TLS_KEY: "b", TLS_CA: "c", DOCKER_TLS_VERIFY: "1", RUNNER_DRIVERS: "docker,qemu" })
    .names;
