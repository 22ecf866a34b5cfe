/** A sentence instead of an answer. */
export interface Refused {
  error: { code: string; message: string; hint: string };
}
