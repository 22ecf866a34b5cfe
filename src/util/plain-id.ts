/**
 * Whether a session id can be a file name as it is; bin/hook.sh accepts no other. The length is not a part of the pattern,
 * because a bounded repetition takes a hook several times as long to compile.
 */
export function isPlainId(id: string): boolean {
  return id.length <= 128 && /^[\w-]+$/.test(id);
}
