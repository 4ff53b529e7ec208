import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { sizes, times } from "@ci/builds/config";
import { logLevel, readSettings } from "@ci/kit/process/config";
import { type Config, contentLimits, type DriversConfig, driversConfig } from "@ci/runner/config";
import { Refused } from "./refused.js";

export interface LocalConfig
  extends DriversConfig,
    Pick<Config, "cloneBytes" | "cacheCopiesBytes">,
    ReturnType<typeof sizes>,
    ReturnType<typeof times> {
  readonly logLevel: string;
  /** Holds files that are kept between runs. */
  readonly cacheDir: string;
  /** Holds the folders of running builds. */
  readonly workDir: string;
}

type Env = Readonly<Record<string, string | undefined>>;

function cacheDirOf({ XDG_CACHE_HOME: base, HOME: home }: Env): string {
  return join(base?.startsWith("/") ? base : join(home || homedir(), ".cache"), "service-ci");
}

/** Defaults that differ from a runner's, because a local run is one build and serves only the machine's owner. */
const defaultsOf = ({ PATH }: Env): Env => ({
  LOG_LEVEL: "silent",
  OS_PATH: PATH,
  DOCKER_LOCAL_IMAGES: "*",
  DOCKER_WARM_CONTAINERS: "0",
});

/** Reads the settings of the runner and the builds service that also apply without a server. */
export function readConfig(env: Env): LocalConfig {
  const cacheDir = cacheDirOf(env);
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value !== "");
  try {
    return readSettings({ ...defaultsOf(env), ...Object.fromEntries(given) }, (s) => ({
      ...driversConfig(s, { served: ["os"], dir: cacheDir, builds: 1 }),
      ...contentLimits(s),
      ...sizes(s),
      ...times(s),
      logLevel: logLevel(s),
      cacheDir,
      workDir: join(tmpdir(), `service-ci-run-${process.getuid?.() ?? "user"}`),
    }));
  } catch (error) {
    throw new Refused((error as Error).message);
  }
}
