import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A request, and whether a receiver with this secret must accept it. */
export interface Vector {
  readonly name: string;
  readonly valid: boolean;
  readonly secret: string;
  /** Unix seconds. */
  readonly now: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A language of the example verifiers. */
export interface Language {
  readonly file: string;
  /** The program that the verifier needs, and an argument that makes it succeed. */
  readonly probe: readonly [string, string];
  /** Matches lines that do not count: imports and comments. */
  readonly preamble: RegExp;
  /** Returns the command that reads vectors from its input and writes a list of booleans. */
  command(dir: string): readonly [string, readonly string[]];
}

export const examples = join(__dirname, "../../../examples/webhooks");

const node = `
import { verify } from ${JSON.stringify(join(examples, "verify.mjs"))};
import { readFileSync } from "node:fs";
const vectors = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(vectors.map((v) => verify(Buffer.from(v.body), v.headers, v.secret, v.now))));`;

const python = `
import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, ${JSON.stringify(examples)})
from verify import verify
vectors = json.loads(sys.stdin.buffer.read())
print(json.dumps([verify(v["body"].encode(), v["headers"], v["secret"], v["now"]) for v in vectors]))`;

const go = `package main

import (
	"encoding/json"
	"net/http"
	"os"
	"time"
	"verifier/webhook"
)

func main() {
	var vectors []struct {
		Secret, Body string
		Now          int64
		Headers      map[string]string
	}
	json.NewDecoder(os.Stdin).Decode(&vectors)
	valid := []bool{}
	for _, v := range vectors {
		header := http.Header{}
		for name, value := range v.Headers {
			header.Set(name, value)
		}
		valid = append(valid, webhook.Verify([]byte(v.Body), header, v.Secret, time.Unix(v.Now, 0)))
	}
	json.NewEncoder(os.Stdout).Encode(valid)
}
`;

export const languages: Readonly<Record<string, Language>> = {
  Node: {
    file: "verify.mjs",
    probe: [process.execPath, "--version"],
    preamble: /^(import .*|\/\*\*.*)?$/,
    command: () => [process.execPath, ["--input-type=module", "-e", node]],
  },
  Python: {
    file: "verify.py",
    probe: ["python3", "--version"],
    preamble: /^(import .*|#.*)?$/,
    command: () => ["python3", ["-c", python]],
  },
  Go: {
    file: "verify.go",
    probe: ["go", "version"],
    preamble: /^(package .*|import .*|\t"[\w/]+"|\)|\/\/.*)?$/,
    command(dir) {
      mkdirSync(join(dir, "webhook"));
      cpSync(join(examples, "verify.go"), join(dir, "webhook/verify.go"));
      writeFileSync(join(dir, "main.go"), go);
      writeFileSync(join(dir, "go.mod"), "module verifier\n\ngo 1.19\n");
      return ["go", ["run", "."]];
    },
  },
};

export const canRun = ({ probe: [program, argument] }: Language): boolean =>
  spawnSync(program, [argument]).status === 0;

/** Returns the verifier's verdict on each vector. */
export async function verdicts(language: Language, vectors: readonly Vector[]): Promise<boolean[]> {
  const dir = mkdtempSync(join(tmpdir(), "ci-verifier-"));
  try {
    const [program, args] = language.command(dir);
    const env = { ...process.env, GOTOOLCHAIN: "local", GOFLAGS: "", GO111MODULE: "on" };
    const output = await new Promise<string>((resolve, reject) => {
      const child = execFile(program, args, { cwd: dir, env }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      );
      child.stdin!.end(JSON.stringify(vectors));
    });
    return JSON.parse(output);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
