import { isRecord } from '#shared/json.ts';
import { parsed } from './client.ts';

/**
 * Whether a command printed what its page says. `…` on the page stands for anything within one line, such as an id or a time. JSON
 * may be laid out in another way.
 */
export function isPrinted(page: string, seen: string): boolean {
  const [wanted, found] = [parsed(page), parsed(seen)];
  if (isRecord(wanted) || Array.isArray(wanted)) return isSame(wanted, found);
  return patternOf(page.trimEnd()).test(seen.replaceAll('\r', '').trimEnd());
}

function isSame(wanted: unknown, found: unknown): boolean {
  if (wanted === '…') return found !== undefined;
  if (typeof wanted === 'string') return typeof found === 'string' && patternOf(wanted).test(found);
  if (Array.isArray(wanted))
    return (
      Array.isArray(found) &&
      wanted.length === found.length &&
      wanted.every((one, at) => isSame(one, found[at]))
    );
  if (!isRecord(wanted)) return wanted === found;
  const names = Object.keys(wanted);
  return (
    isRecord(found) &&
    names.length === Object.keys(found).length &&
    names.every((name) => name in found && isSame(wanted[name], found[name]))
  );
}

const patternOf = (text: string): RegExp => new RegExp(`^${text.split('…').map(escaped).join('[^\\n]*')}$`);

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
