const utf8 = new TextEncoder();

export const isAscii = (text: string): boolean => !/[\u0080-\uffff]/.test(text);
export const bytesOf = (text: string, ascii: boolean): number => (ascii ? text.length : utf8.encode(text).length);
