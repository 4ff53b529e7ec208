import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { deployDir } from "./_compose.js";

const noRegistry = "http://127.0.0.1:1/";
const lockfile = parse(readFileSync(join(deployDir, "../pnpm-lock.yaml"), "utf8"));
const versionOf = (name: string) =>
  Object.keys(lockfile.packages)
    .find((key) => key.startsWith(`${name}@`))!
    .slice(name.length + 1);

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "ci-supply-"));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** Runs a script of deploy/supply-chain. */
async function ran(script: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const file = join(deployDir, "supply-chain", script);
  return promisify(execFile)(process.execPath, [file, ...args]).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
  );
}

describe("npm run sbom", () => {
  it("lists the production packages of the lockfile", async () => {
    const file = join(dir, "sbom.json");
    expect(await ran("sbom.mjs", file)).toEqual({ code: 0, output: expect.stringMatching(/^\d+ components: /) });
    const { bomFormat, specVersion, metadata, components } = JSON.parse(readFileSync(file, "utf8"));
    expect([bomFormat, specVersion, metadata.component.name]).toEqual(["CycloneDX", "1.6", "service-ci-repository"]);
    const urls: string[] = components.map(({ purl }: { purl: string }) => decodeURIComponent(purl));
    expect(urls).toContain("pkg:npm/express-gateway@1.16.11");
    expect(urls).toContain(`pkg:npm/@grpc/grpc-js@${versionOf("@grpc/grpc-js")}`);
    const others = urls.filter((url) => !/^pkg:npm\/@(service-)?ci\//.test(url));
    expect(others.filter((url) => !(url.slice("pkg:npm/".length) in lockfile.packages))).toEqual([]);
    expect(others.filter((url) => /\/(jest|typescript|@biomejs\/.*)@/.test(url))).toEqual([]);
  });
});

describe("npm run advisories", () => {
  const express = versionOf("express");
  const hole = { id: "GHSA-1", package: "express", vulnerable: `<=${express}`, title: "A hole" };
  const listOf = (...advisories: object[]) => {
    const file = join(dir, "list.json");
    writeFileSync(file, JSON.stringify({ updated: "2026-11-22", advisories }));
    return file;
  };

  it("passes with the list of the repository alone", async () => {
    const { code, output } = await ran("advisories.mjs", "--registry", noRegistry);
    expect(output).toMatch(
      /^No registry answers: compared only with the list of .*\nNo package of the lockfile has a known/,
    );
    expect(code).toBe(0);
  });

  it("fails on a vulnerable package of the list, unless it is accepted, and names it", async () => {
    const accepted = { ...hole, id: "GHSA-2", accepted: "we do not call it" };
    const list = listOf(hole, accepted, { ...hole, id: "GHSA-3", vulnerable: `<${express}` });
    const { code, output } = await ran("advisories.mjs", "--registry", noRegistry, "--list", list);
    expect([code, ...output.trim().split("\n").slice(1)]).toEqual([
      1,
      `Vulnerable: express ${express}: A hole (GHSA-1)`,
      `Accepted: express ${express}: A hole (GHSA-2): we do not call it`,
    ]);
  });

  it("passes if every vulnerable package is accepted", async () => {
    const list = listOf({ ...hole, accepted: "we do not call it" });
    const { code, output } = await ran("advisories.mjs", "--registry", noRegistry, "--list", list);
    expect([code, ...output.trim().split("\n").slice(1)]).toEqual([
      0,
      `Accepted: express ${express}: A hole (GHSA-1): we do not call it`,
    ]);
  });

  describe("with a registry", () => {
    let server: Server;
    let registry: string;
    beforeAll(async () => {
      const url = "https://github.com/advisories/GHSA-aaaa-bbbb-cccc";
      const known = { id: 1, url, title: "A hole", severity: "high", vulnerable_versions: "*", cwe: [] };
      const other = { ...known, id: 2, url: url.replace("aaaa", "dddd") };
      server = createServer((request, response) => {
        const asks = request.url === "/-/npm/v1/security/advisories/bulk";
        request.resume().on("end", () => {
          response.writeHead(asks ? 200 : 404, { "Content-Type": "application/json" });
          response.end(JSON.stringify({ express: [known], passport: [other] }));
        });
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    });
    afterAll(() => server.close());

    it("fails on what only the registry knows, unless the list accepts it", async () => {
      const list = listOf({ ...hole, vulnerable: "<1", id: "GHSA-dddd-bbbb-cccc", accepted: "we do not call it" });
      const { code, output } = await ran("advisories.mjs", "--registry", registry, "--list", list);
      const [first, ...found] = output.trim().split("\n");
      expect(first).toMatch(/^Asked the registry, and compared with the list of 2026-11-22 \(1 advisories\)\.$/);
      expect([code, ...found]).toEqual([
        1,
        `Vulnerable: express ${express}: A hole (GHSA-aaaa-bbbb-cccc)`,
        `Accepted: passport ${versionOf("passport")}: A hole (GHSA-dddd-bbbb-cccc): we do not call it`,
      ]);
    });
  });
});
