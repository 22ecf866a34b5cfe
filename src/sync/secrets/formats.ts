import issuers from './formats.json' with { type: 'json' };
import gitleaks from './gitleaks-rules.json' with { type: 'json' };
import { isKnownExample, isPlaceholder } from './harmless.ts';
import type { Span } from './spans.ts';
import { isRandom } from './words.ts';

interface Format {
  kind: string;
  /** Only a text that has one of these, in lower case, is searched. */
  words: readonly string[];
  /** What a token looks like wherever it stands. */
  pattern?: string;
  flags?: string;
  /** Or what it looks like behind the name of its service, which the words are. */
  value?: string;
}

/** As gitleaks has it: the name of a service, at most 20 characters on a sign of assignment. */
const ASSIGNED =
  '[\\w\\t .-]{0,20}[\\s\'"]{0,3}(?:=|>|:=|\\|\\|:|<=|=>|:)[\\s\'"=`]{0,5}';

/** What issuers document of their tokens comes first: its names say more. */
const FORMATS = [...issuers, ...gitleaks].map(
  ({ kind, words, pattern, value, flags }: Format) => ({
    kind,
    words,
    // A word that happens to have the right length is no key: "Jira: internationalisation".
    needsDigit: value !== undefined,
    pattern:
      value === undefined
        ? new RegExp(pattern ?? '', `g${flags ?? ''}`)
        : new RegExp(
            `(?:${words.join('|')})${ASSIGNED}(${value})(?![\\w-])`,
            'gi',
          ),
  }),
);

export function findFormats(text: string): Span[] {
  const lower = text.toLowerCase();
  const possible = FORMATS.filter(({ words }) =>
    words.some((word) => lower.includes(word)),
  );
  return possible.flatMap(({ kind, pattern, needsDigit }) =>
    [...text.matchAll(pattern)]
      .filter(({ 1: value = '' }) => !needsDigit || /\d/.test(value))
      .map(({ index, 0: whole }) => ({
        start: index,
        end: index + whole.length,
        kind,
      }))
      .filter(({ start, end }) => !isExample(wholeWord(text, start, end))),
  );
}

/** An example may be longer than its format: `AKIAIOSFODNN7EXAMPLE` says so at the end. */
const wholeWord = (text: string, start: number, end: number): string =>
  text.slice(start, end) +
  (/^\w{1,20}/.exec(text.slice(end, end + 20))?.[0] ?? '');

/** A key of many lines may have any text behind it, which says nothing about it. */
const MAX_EXAMPLE = 200;

/** `ghp_xxxxxxxx`, "Bearer YOUR_ACCESS_TOKEN", a private key of three dots */
function isExample(value: string): boolean {
  const last = value.split(/\s+/).at(-1) ?? value;
  return (
    value.length <= MAX_EXAMPLE && (isPlaceholder(last) || isKnownExample(last))
  );
}

const MIN_RANDOM = 32;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Words of 32 characters and more in which letters of both cases and digits alternate. */
export function findRandom(text: string): Span[] {
  const withoutIds = text.replaceAll(UUID, (id) => ' '.repeat(id.length));
  return [...withoutIds.matchAll(/[A-Za-z0-9+/_-]{32,}/g)]
    .filter(
      ({ 0: word }) => isRandom(word, MIN_RANDOM) && !isKnownExample(word),
    )
    .map(({ index, 0: word }) => ({
      start: index,
      end: index + word.length,
      kind: 'a random key',
    }));
}

const PUBLIC_HEADER =
  '-----BEGIN (?:[A-Z0-9]+ )*(?:PUBLIC KEY|CERTIFICATE|SIGNATURE|MESSAGE)[A-Z ]*-----';
/** "Version: GnuPG v2" */
const PUBLIC_COMMENT = '(?:\\s*(?:Version|Comment|Hash|Charset): [^\\n]*\\n)*';
/** In JSON, a line break is `\n`. */
const BASE64_LINES = '(?:(?:\\s|\\\\[nr]){0,6}[\\w+/]{16,}={0,2})*';

const JOHN_DOE = 'eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l';
const PICTURES =
  '(?:iVBORw0KGgo|\\/9j\\/[24]|R0lGOD[ld]h|PHN2Zy|UklGR|JVBERi0)';

/** How public keys of RSA and of elliptic curves begin in base64: those of a certificate, of DKIM, of a JWT. */
const PUBLIC_KEYS =
  '(?:MIGfMA0GCSqGSIb3|MII[BC]IjANBgkqhkiG9w0|M[FH][kY]wE[wA]YHKoZIzj0)';

/** `image/png` */
const MEDIA_TYPE = '(?:image|font|audio|video)\\/[\\w.+-]{1,40}';
/** `;charset=utf-8;base64` */
const PARAMETERS = '(?:;[\\w=-]{1,40}){0,3}';

/** What looks random and is public, each pattern with what it matches. */
const PUBLIC_PARTS: readonly RegExp[] = [
  // The hash of a package or of a public key, as long as its algorithm has it: `sha512-…==`, `SHA256:…`, `h1:…=`
  /\bsha1-[A-Za-z0-9+/]{27}=/gi,
  /\b(?:sha256[-:]|h1:)[A-Za-z0-9+/]{43}(?:=|\b)/gi,
  /\bsha384-[A-Za-z0-9+/]{64}/gi,
  /\bsha512-[A-Za-z0-9+/]{86}==/gi,
  // The public key of ssh: `ssh-ed25519 AAAAC3Nz…`
  /\bAAAA[BCE][23][A-Za-z0-9+/]{20,}={0,3}/g,
  // A public key, a certificate or a signature, as it is and in base64
  new RegExp(`${PUBLIC_HEADER}${PUBLIC_COMMENT}${BASE64_LINES}`, 'g'),
  /\bLS0tLS1CRUdJTiB(?:DRVJUSUZJQ0FUR|QVUJMSUMg)[A-Za-z0-9+/]*={0,2}/g,
  new RegExp(`(?<![\\w+/])${PUBLIC_KEYS}[\\w+/]{20,}={0,2}`, 'g'),
  // The token on jwt.io, whose middle says "John Doe"
  new RegExp(`\\beyJ[\\w-]{10,60}\\.${JOHN_DOE}[\\w-]*\\.[\\w-]*`, 'g'),
  // `PUBLIC_KEY=…`, `pk_test_…`
  /\bpublic_?key\w{0,20}["']?\s{0,3}[:=]\s{0,3}["']?[\w+/=-]{20,}/gi,
  /\bpk_(?:test|live)_\w+/g,
  // A picture, a font, a film: `data:image/png;base64,…`, and how PNG, JPEG, GIF, SVG, WebP and PDF begin in base64
  new RegExp(`\\bdata:${MEDIA_TYPE}${PARAMETERS},[\\w+/=-]+`, 'g'),
  new RegExp(`(?<![\\w+/])${PICTURES}[\\w+/]{20,}={0,2}`, 'g'),
  // A document of Google or Figma
  /\b(?:docs|drive)\.google\.com\/[\w/]{1,60}\/[\w-]{20,}/g,
  /\bfigma\.com\/\w{1,20}\/[\w-]{20,}(?:\/[\w-]{1,100})?/g,
];

/** The text with blanks in place of what is public, so that places in it stay what they are. */
export function withoutPublicParts(text: string): string {
  return PUBLIC_PARTS.reduce(
    (rest, pattern) =>
      rest.replaceAll(pattern, (part) => part.replaceAll(/[^\n]/g, ' ')),
    text,
  );
}
