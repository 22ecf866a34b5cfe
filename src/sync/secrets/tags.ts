import type { Assignment, Sign } from './assignments.ts';
import { saysSecret } from './names.ts';

/*
 * Tags of HTML and XML, in which one attribute says what another one, or the content, holds.
 */

/** A tag with what stands behind it. */
const TAG = /<[a-z][\w:-]{0,40}\s([^<>]{0,500})>([^<>]{0,400})/gi;
const ATTRIBUTE = /([\w:-]{1,40})\s{0,5}=\s{0,5}(?:"([^"]*)"|'([^']*)')/g;

interface Attribute {
  key: string;
  value: string;
  start: number;
}

/** `<input type="password" value="x">`, in any order, and `<string name="token">x</string>` */
export function findInTags(text: string): Assignment[] {
  return [...text.matchAll(TAG)].flatMap(
    ({ index, 0: tag, 1: list = '', 2: content = '' }) => {
      const attributes = attributesOf(list, index + tag.indexOf(list, 1));
      const named = attributes.find(
        ({ key, value }) => !isValueKey(key) && saysSecret(value),
      );
      if (named === undefined) return [];
      const valued = attributes.find(({ key }) => isValueKey(key));
      if (valued !== undefined)
        return [assignment(named, 'equals', valued.value, valued.start)];
      // `<h2 id="token">` names a heading.
      const namesContent = /^(?:name|key)$/i.test(named.key);
      const start = index + tag.length - content.length;
      return namesContent ? [assignment(named, 'loose', content, start)] : [];
    },
  );
}

function attributesOf(list: string, offset: number): Attribute[] {
  return [...list.matchAll(ATTRIBUTE)].map(
    ({ index, 0: whole, 1: key = '', 2: a, 3: b }) => {
      const value = a ?? b ?? '';
      return {
        key,
        value,
        start: offset + index + whole.length - 1 - value.length,
      };
    },
  );
}

const isValueKey = (key: string): boolean =>
  /^(?:value|defaultvalue|content)$/i.test(key);

function assignment(
  named: Attribute,
  sign: Sign,
  value: string,
  start: number,
): Assignment {
  const place = { start, end: start + value.length, isQuoted: true, rest: '' };
  return {
    name: named.value,
    sign,
    isSpaced: false,
    value,
    ...place,
    isInConfig: false,
    isAfterUser: false,
  };
}
