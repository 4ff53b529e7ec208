import type { Repository_Provider } from "@ci/proto/builds/v1/repositories";
import type { Provider } from "./change.js";
import { gitea } from "./gitea.js";
import { github } from "./github.js";
import { gitlab } from "./gitlab.js";

export const providers: Readonly<Record<Repository_Provider, Provider>> = { github, gitlab, gitea };

export const isProvider = (name: string): name is Repository_Provider => Object.hasOwn(providers, name);
