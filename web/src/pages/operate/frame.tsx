import type { ComponentChildren } from "preact";
import { base, currentPath } from "../../api.js";
import { Page } from "../../parts.js";

const places = [
  ["/queue", "Queue"],
  ["/runners", "Runners"],
  ["/users", "Users"],
  ["/users/-/tokens", "Tokens"],
  ["/audit", "Audit log"],
] as const;

/** Reports whether a path is that of an administrators' page. */
export const isOperated = (path: string): boolean => places.some(([place]) => place === path);

/** A page for administrators, with links to the others. */
export const OperateFrame = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <Page title={title}>
    <nav class="sections" aria-label="Operate">
      {places.map(([path, name]) => (
        <a key={path} href={base + path} aria-current={currentPath() === path ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
    {children}
  </Page>
);
