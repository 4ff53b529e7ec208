// Finds a Chromium for the tests of the web page, or installs Debian's.
import { installPackages, mayInstallPackages, onPath } from "./machine.mjs";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

const found = () => names.map((name) => onPath(name)).find(Boolean);

/**
 * Returns the path of a Chromium, which CI_CHROMIUM may name, or why there is none.
 * @returns {Promise<{ path: string } | { reason: string }>}
 */
export const findBrowser = async () => {
  const path = process.env.CI_CHROMIUM || found();
  if (path) return { path };
  if (!mayInstallPackages()) return { reason: "Chromium is not installed, and CI_CHROMIUM names none" };
  const reason = await installPackages(["chromium"]);
  const installed = found();
  return installed ? { path: installed } : { reason: reason ?? "the package chromium has no program" };
};
