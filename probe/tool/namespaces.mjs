// Shell text about namespaces.

/** The kinds of namespaces that every container has of its own. */
export const namespaces = ["pid", "net", "mnt", "ipc", "uts"];
/** Prints the ids of a process's namespaces. */
export const namespaceIds = `for name in ${namespaces.join(" ")}; do readlink /proc/self/ns/$name; done`;

/** Matches the ids in the output of `grep -E`. @param {string[]} ids */
export const anyOf = (ids) => ids.join("|").replaceAll(/[[\]]/g, ".");
