import { generateKeyPairSync } from "node:crypto";
import { aManifest } from "@ci/testkit/builders";
import { created, type SignedUp } from "@ci/testkit/constellation";
import type { Page } from "playwright-core";

/** Returns a private key without passphrase. */
export const aPrivateKey = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString();

/** Fills a namespace with a record of each kind. Returns the addresses of their pages by what they show. */
export async function fill(user: SignedUp, guest: SignedUp, namespace: string): Promise<Record<string, string>> {
  const place = `/n/${user.username}/${namespace}`;
  const make = async (path: string, fields: object) => created(await user.post(path, fields));
  created(await user.post("/namespaces", { name: namespace, description: "All of the shop" }));
  await make("/namespaces", { name: "below", parent: namespace });
  await make(`${place}/-/invites`, { handle: guest.username });
  await make("/variables", { namespace, key: "TOKEN", value: "secret1", mask: true });
  const records = {
    "a variable": await make("/variables", { namespace, key: "LEVEL", value: "debug" }),
    "a key": await make("/keys", { namespace, name: "deploy", key: aPrivateKey() }),
    "an object": created(
      await user.send("POST", `/objects?name=ca.pem&namespace=${namespace}`, { body: "certificate" }),
    ),
    "an image": await make("/images", { namespace, name: "debian", download_url: "http://127.0.0.1:1/debian.qcow2" }),
    "a cron job": await make("/cron", { name: "nightly", manifest: aManifest({ namespace }) }),
  };
  const sections = ["namespaces", "collaborators", "variables", "keys", "objects", "images", "invites"];
  const lists = ["variables", "keys", "objects", "images", "cron", "invites", "tokens", "namespaces", "user"];
  return Object.fromEntries([
    ["a namespace", place],
    ...sections.map((section) => [`the ${section} of a namespace`, `${place}/-/${section}`]),
    ...lists.map((list) => [`the user's ${list}`, `/${list}`]),
    ...Object.entries(records).map(([what, { url }]) => [what, new URL(url).pathname.replace("/api", "")]),
    ["the builds of a cron job", `/cron/${records["a cron job"].id}/builds`],
    ["the builds of an object", `/objects/${records["an object"].id}/builds`],
  ]);
}

/** Opens every form of a page that is closed. */
export const openForms = (page: Page): Promise<void> =>
  page.evaluate("for (const form of document.querySelectorAll('details')) form.open = true");

/** Waits until a page says that something has happened. */
export const says = (page: Page, text: string): Promise<void> => page.getByRole("status").getByText(text).waitFor();

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Clicks a button that asks, and the one that confirms. */
export async function remove(page: Page, what: string, action = "Delete"): Promise<void> {
  await button(page, `${action} ${what}`).click();
  await button(page, `${action} ${what}`).click();
}

/** Waits until a page is loaded. */
export async function shown(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByText("Loading …").first().waitFor({ state: "detached" });
}

/** Returns a function that limits how fast a page sends, in bytes per second; -1 ends the limit. */
export async function slowUploads(page: Page): Promise<(uploadThroughput: number) => Promise<unknown>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const others = { offline: false, latency: 0, downloadThroughput: -1 };
  return (uploadThroughput) => session.send("Network.emulateNetworkConditions", { ...others, uploadThroughput });
}
