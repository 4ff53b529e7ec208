/** A user's role in a namespace tree. */
export type Role = "owner" | "collaborator" | "viewer" | "none";

/** view: see the namespace and its records. write: what members may do. own: change the namespace itself. */
export type Action = "view" | "write" | "own";

/** The fields of a root that decide for its whole tree. */
export interface Root {
  readonly userId: number;
  readonly visibility: string;
}

const allowed: Record<Exclude<Role, "none">, readonly Action[]> = {
  owner: ["view", "write", "own"],
  collaborator: ["view", "write"],
  viewer: ["view"],
};

/** Returns a user's role in a tree; `collaborates` is true if they accepted an invite to it. */
export function roleIn(root: Root, userId: number, collaborates: boolean): Role {
  if (root.userId === userId) return "owner";
  if (collaborates) return "collaborator";
  return root.visibility === "private" ? "none" : "viewer";
}

export const may = (role: Role, action: Action): boolean => role !== "none" && allowed[role].includes(action);

/** Reports whether requests without a token may see a tree's badges, and nothing else. */
export const openToAll = (root: Root): boolean => root.visibility === "public";
