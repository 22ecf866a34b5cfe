import { FORMATS } from '../detect/formats/all-formats.ts';
import { isPlanFormatId } from '../settings/settings.ts';
import { CompanionFiles } from '../sync/format-plans.ts';
import type { OperationContext } from './open-project.ts';
import type { DetectedRun } from './sync-preview.ts';

/** Workflows whose plan the pointer of its tool names come first: that is what the user works on. */
export function pointedFirst(
  { root }: Pick<OperationContext, 'root'>,
  detected: readonly DetectedRun[],
): DetectedRun[] {
  const files = new CompanionFiles(root);
  const isPointedTo = ({ change }: DetectedRun): boolean =>
    change.updates.some(({ source: { path, format = '' } }) => {
      if (!isPlanFormatId(format)) return false;
      const { companions = () => [], isPointedTo: isNamed } = FORMATS[format];
      const source = {
        path,
        text: '',
        companions: files.read(companions(path)),
        exists: () => false,
      };
      return isNamed?.(source) ?? false;
    });
  const named = new Set(detected.filter(isPointedTo));
  return [...named, ...detected.filter((each) => !named.has(each))];
}
