/** What somebody is to a tree of namespaces. */
export type Role = "owner" | "collaborator" | "viewer" | "none";

/** view: see it and what is in it. write: what members do there. own: change the namespace itself. */
export type Action = "view" | "write" | "own";

/** What of a root namespace decides about its whole tree. */
export interface Root {
  readonly userId: number;
  readonly visibility: string;
}

const allowed: Record<Exclude<Role, "none">, readonly Action[]> = {
  owner: ["view", "write", "own"],
  collaborator: ["view", "write"],
  viewer: ["view"],
};

/** The role of a user in a tree; `collaborates` says whether they accepted an invite to it. */
export function roleIn(root: Root, userId: number, collaborates: boolean): Role {
  if (root.userId === userId) return "owner";
  if (collaborates) return "collaborator";
  return root.visibility === "private" ? "none" : "viewer";
}

/** Whether a role includes an action. */
export const may = (role: Role, action: Action): boolean => role !== "none" && allowed[role].includes(action);

/** Whether somebody without token may see the badges of a tree; nothing else of it is served to them. */
export const openToAll = (root: Root): boolean => root.visibility === "public";
