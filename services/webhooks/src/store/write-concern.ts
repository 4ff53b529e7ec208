/** A crash of MongoDB may undo such a write: then the lane is claimed, or the attempt made, once more. */
export const quick = { writeConcern: { w: 1, journal: false } } as const;
