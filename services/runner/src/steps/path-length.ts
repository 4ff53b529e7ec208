/** Linux opens no longer paths (PATH_MAX), and tar-stream takes quadratic time for names in many folders. */
export const maxPathLength = 4_096;

export const tooLongText = (what: string): string => `the ${what} is longer than ${maxPathLength} characters`;
