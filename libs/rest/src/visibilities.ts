/** Who can see a namespace: its members, every user, or everyone. */
export const visibilities = ["private", "internal", "public"] as const;

export type Visibility = (typeof visibilities)[number];
