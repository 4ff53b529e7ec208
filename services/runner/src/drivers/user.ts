export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Only root may start processes as another user. */
export const isRoot = (): boolean => process.getuid?.() === 0;
