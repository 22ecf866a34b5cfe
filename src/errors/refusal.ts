/** Why a file was not read as text. */
export type Refusal =
  | 'not a file'
  | 'too large'
  | 'outside the project'
  | 'binary'
  | 'not permitted';
